-- ## folders with their page views
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", count(*) over () as "r4"
from (
  select "d3"."url_folder" as "c1", "d3"."url_path" as "c2", coalesce(sum("s2"."c2"), 0) as "c3"
  from (
    select "t1"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."page_id" = "s2"."c1"
  group by 1, 2
) as "s4"
order by "s4"."c1" collate "C" asc nulls last, "s4"."c2" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## a filter on a part, and the parts that a path does not have
select "s3"."c1" as "r1", "d4"."url_host" as "r2", "d4"."url_query" as "r3", "d5"."referrer_host" as "r4"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."page_id" as "c3", "t1"."source_id" as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and right("d2"."url_path", length($5::text)) = $6::text
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $7
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $8::smallint
  and "d4"."page_id" = "s3"."c3"
left join "analytics"."source" as "d5" on "d5"."site_id" = $9::smallint
  and "d5"."source_id" = "s3"."c4"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = "a"  $7 = 1001  $8 = 1  $9 = 1

-- ## URL parts of pages found in search
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", "s4"."c4" as "r4", "s4"."c5" as "r5",
  count(*) over () as "r6"
from (
  select "d3"."url_path" as "c1", "d3"."url_host" as "c2", "d3"."url_folder" as "c3", "d3"."url_query" as "c4",
    coalesce(sum("s2"."c2"), 0) as "c5"
  from (
    select "t1"."page_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
    from "analytics"."search_day" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."day" >= $2::date
      and "t1"."day" < $3::date
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."page_id" = "s2"."c1"
  group by 1, 2, 3, 4
) as "s4"
order by "s4"."c1" collate "C" asc nulls last, "s4"."c2" collate "C" asc nulls last, "s4"."c3" collate "C" asc nulls last,
  "s4"."c4" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1000
