-- ## all covers every site that the user may see; identical times are ordered by id, then by site
select "d3"."tracking_id" as "r1", "s2"."c1" as "r2", "d4"."url" as "r3"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."site_id" as "c3", "t1"."page_id" as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "t1"."site_id" asc nulls last
  limit $4
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c3"
left join "analytics"."page" as "d4" on "d4"."site_id" = "s2"."c3"
  and "d4"."page_id" = "s2"."c4"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last, "s2"."c3" asc nulls last;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## the same text on several sites forms one group
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "d3"."url" as "c1", coalesce(sum("s2"."c3"), 0) as "c2"
  from (
    select "t1"."page_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and ("t1"."site_id", "t1"."page_id") in (
        select "e"."site_id", "e"."page_id"
        from "analytics"."page" as "e"
        where "e"."site_id" = any($4::smallint[])
          and "e"."text_key" = $5::uuid
          and "e"."url" = $6::text
      )
    group by 1, 2
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = "s2"."c2"
    and "d3"."page_id" = "s2"."c1"
  group by 1
) as "s4"
order by "s4"."c1" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = "8068ee95affd9273f0622bdbb25546b6"
-- $6 = "/"  $7 = 1000

-- ## the same id on several sites forms several groups
select "s2"."c1" as "r1", "s2"."c3" as "r2", count(*) over () as "r3"
from (
  select "t1"."session_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."session_id" = $4::bigint
  group by 1, 2
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1000

-- ## COUNTUNIQUE counts an id once for each site
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select count(distinct ("s2"."c2", "s2"."c1")) filter (where "s2"."c1" is not null) as "c1",
    count(distinct "d3"."country_code") as "c2"
  from (
    select "t1"."session_id" as "c1", "t1"."site_id" as "c2", "t1"."country_id" as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."session_id" = $4::bigint
    group by 1, 2, 3
  ) as "s2"
  left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c3"
) as "s4"
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1000

-- ## identical texts with ids from different sites are merged
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", "s4"."c4" as "r4", count(*) over () as "r5"
from (
  select "d2"."url" as "c1", "d3"."device_type" as "c2", count(*) as "c3", count(distinct ("t1"."site_id", "t1"."reader_id")) filter (where "t1"."reader_id" is not null) as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = "t1"."site_id"
    and "d2"."page_id" = "t1"."page_id"
  left join "analytics"."device" as "d3" on "d3"."device_id" = "t1"."device_id"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = $4::bigint
  group by 1, 2
) as "s4"
order by "s4"."c1" collate "C" asc nulls last, "s4"."c2" collate "C" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## for an analyst, all means the granted sites
select "d3"."tracking_id" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."site_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
order by "d3"."tracking_id" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## grouped by site
select "d3"."tracking_id" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."site_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
order by "s2"."c2" desc nulls last, "d3"."tracking_id" collate "C" asc nulls last
limit $4;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## ids of the previous and next page also belong to their site
select "s2"."c1" as "r1", "s2"."c3" as "r2", "s2"."c4" as "r3", count(*) over () as "r4"
from (
  select "t1"."prev_page_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3", count(distinct ("t1"."site_id", "t1"."prev_page_id")) filter (where "t1"."prev_page_id" is not null) as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1, 2
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last
limit $4;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1777561201  $4 = 1000

-- ## distinct readers by a key with few values, counted per site
select "s3"."c1" as "r1", "s3"."c3" as "r2", "s3"."c2" as "r3", count(*) over () as "r4"
from (
  select "s2"."c1" as "c1", coalesce(sum("s2"."c4"), 0) as "c2", count("s2"."c2") as "c3"
  from (
    select "t1"."is_newuser"::int as "c1", "t1"."reader_id" as "c2", "t1"."site_id" as "c3",
      count(*) as "c4"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."pv_id" = $4::bigint
    group by 1, 2, 3
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c1" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000
