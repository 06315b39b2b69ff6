-- ## two views calculate under one name
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(*) as "c1", count("s2"."c1") as "c2"
  from (
    select coalesce(sum("s1"."c1"), 0) as "c1"
    from (
      select unnest("r"."row_count") as "c1"
      from unnest($1::smallint[], $2::smallint[], $3::int[]) b("site_id", "level", "block")
      cross join lateral (
        select *
        from "analytics"."rollup" r
        where r.site_id = b.site_id
          and r.dimension = $4::smallint
          and r.level = b.level
          and r.block = b.block
        limit 1
      ) r
      where (
        select analytics.sites_of_versions($5::smallint[], $6::bigint[])
      ) is not null
    ) as "s1"
  ) as "s2"
) as "s3"
limit $7;
-- $1 = [1,1,1,1,1,1,1]  $2 = [2,2,2,1,1,1,0]  $3 = [1284,1285,1286,5148,5149,5150,20604]  $4 = 1  $5 = [1]
-- $6 = [9]  $7 = 1000
