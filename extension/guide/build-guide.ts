// Owns what the guide tells a user under a contract.
// user's sites + contract -> Guide, read anew for every request; nothing of it is remembered.
import type { Knex } from 'knex';
import { apiUpdate } from '../../manifests/reader/catalog';
import type { Manifest } from '../../manifests/reader/manifest';
import { type Contract, isEnabled } from '../contracts/contract';
import { permittedSites } from '../storage/sites/list-sites';
import { describeSites } from './describe-sites';
import type { Guide } from './guide';
import { readSections } from './read-sections';

export interface GuideContext {
  readonly contract: Contract;
  readonly manifest: Manifest;
  /** Tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  readonly database: Knex;
  readonly now: Date;
  readonly pluginVersion: string;
  readonly docsUrl: string;
  readonly queryTimeoutSeconds: number;
}

/** Builds the guide for a user under a contract. */
export async function buildGuide(context: GuideContext): Promise<Guide> {
  const { contract, manifest, now, pluginVersion, docsUrl, queryTimeoutSeconds } = context;
  const { rules, format } = contract;
  const permitted = await permittedSites(context.database, context.sites);
  const [sites, sections] = await Promise.all([
    describeSites(permitted, context),
    readSections(format.guideTexts, rules.features),
  ]);
  return {
    version: contract.version,
    apiUpdate: apiUpdate(manifest, rules, (feature) => isEnabled(contract, feature)),
    timestamp: now,
    pluginVersion,
    features: rules.features,
    sites,
    limits: {
      maxRows: rules.limits.max_rows,
      maxInlineRows: rules.limits.max_inline_rows,
      queryTimeoutSeconds,
    },
    documentation: { source: docsUrl, sections },
  };
}
