-- The names of an erasure, which the ledger lists.
CREATE INDEX erased_digest_erasure ON analytics.erased_digest (erasure_id) WHERE name_no IS NOT NULL;
