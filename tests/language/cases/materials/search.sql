-- ## rows by day, page, keyword and search type
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "d3"."url" as "r2", "d4"."keyword" as "r3",
  "s2"."c2" as "r4", "s2"."c3" as "r5", "s2"."c4" as "r6", "s2"."c5"::float8 as "r7", "s2"."c6"::float8 as "r8"
from (
  select "t1"."day" as "c1", "t1"."search_type" as "c2", "t1"."clicks" as "c3", "t1"."impressions" as "c4",
    (("t1"."position_x100")::float8 / 100) as "c5", (coalesce(round("t1"."clicks"::numeric * 10000 / nullif("t1"."impressions", 0)), 0)::bigint::float8 / 10000) as "c6",
    "t1"."page_id" as "c7", "t1"."query_id" as "c8", "t1"."page_id" as "c9", "t1"."query_id" as "c10"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  order by "t1"."day" asc nulls last, "t1"."page_id" asc nulls last, "t1"."query_id" asc nulls last,
    "t1"."search_type" asc nulls last
  limit $4
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."page_id" = "s2"."c9"
left join "analytics"."keyword" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."query_id" = "s2"."c10"
order by "s2"."c1" asc nulls last, "s2"."c7" asc nulls last, "s2"."c8" asc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1001  $5 = 1  $6 = 1

-- ## stored numbers and the month
select "s2"."c1" as "r1", "s2"."c2"::float8 as "r2", "s2"."c3" as "r3", "d3"."title" as "r4",
  "d4"."tracking_id" as "r5"
from (
  select "t1"."position_x100" as "c1", (("t1"."position_x100" * "t1"."impressions"::bigint)::float8 / 100) as "c2",
    to_char("t1"."day", 'YYYY-MM') as "c3", "t1"."day" as "c4", "t1"."page_id" as "c5", "t1"."query_id" as "c6",
    "t1"."search_type" as "c7", "t1"."page_id" as "c8", "t1"."site_id" as "c9"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
    and "t1"."clicks" >= $4::bigint
  order by "t1"."day" asc nulls last, "t1"."page_id" asc nulls last, "t1"."query_id" asc nulls last,
    "t1"."search_type" asc nulls last
  limit $5
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."page_id" = "s2"."c8"
left join "analytics"."site" as "d4" on "d4"."site_id" = "s2"."c9"
order by "s2"."c4" asc nulls last, "s2"."c5" asc nulls last, "s2"."c6" asc nulls last, "s2"."c7" asc nulls last;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1001  $6 = 1

-- ## keywords with their clicks and the two sums that make up the mean position
select "d6"."keyword" as "r1", "s5"."c1" as "r2", "s5"."c2" as "r3", "s5"."c3"::float8 as "r4",
  "s5"."c4" as "r5"
from (
  (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c5" as "c3", count(*) over () as "c4",
      "s4"."c3" as "c5"
    from (
      select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 24) / "s3"."c6")::float8 as "c5"
      from (
        select "s2"."c2" as "c1", "s2"."c3" as "c2", "s2"."c1" as "c3", "s2"."c4" as "c4", ("s2"."c4")::numeric as "c5",
          ((1)::numeric * 100) as "c6"
        from (
          select "t1"."query_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2", coalesce(sum("t1"."impressions"), 0) as "c3",
            coalesce(sum(("t1"."position_x100" * "t1"."impressions"::bigint)), 0) as "c4"
          from "analytics"."search_day" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."day" >= $2::date
            and "t1"."day" < $3::date
          group by 1
        ) as "s2"
      ) as "s3"
    ) as "s4"
    order by "s4"."c1" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s5"
left join "analytics"."keyword" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."query_id" = "s5"."c5"
order by "s5"."c1" desc nulls last, "d6"."keyword" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000  $5 = 1  $6 = 1000

-- ## a day is in range if its local midnight is in range
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."day" as "c1", count(*) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-02"  $3 = "2026-05-03"  $4 = 1000

-- ## a filter on the day
select "t1"."clicks" as "r1"
from "analytics"."search_day" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."day" >= $2::date
  and "t1"."day" < $3::date
  and "t1"."day" = $4::date
  and to_char("t1"."day", 'YYYY-MM') = $5::text
order by "t1"."day" asc nulls last, "t1"."page_id" asc nulls last, "t1"."query_id" asc nulls last,
  "t1"."search_type" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = "2026-05-01"  $5 = "2026-05"  $6 = 1001

-- ## pages with their searches
select "d8"."url" as "r1", "s7"."c1" as "r2", "s7"."c3" as "r3", count(*) over () as "r4"
from (
  select "s6"."c1" as "c1", "s2"."c2" as "c2", coalesce(sum(("s2"."c3"::numeric * coalesce("s6"."c2", $1::bigint))), 0) as "c3"
  from (
    select "t1"."page_id" as "c1", "t1"."page_id" as "c2", count(*) as "c3"
    from "analytics"."search_day" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."day" >= $3::date
      and "t1"."day" < $4::date
    group by 1, 2
  ) as "s2"
  left join (
    select "d5"."device_type" as "c1", "s4"."c3" as "c2", "s4"."c1" as "c3"
    from (
      select "t3"."page_id" as "c1", "t3"."device_id" as "c2", count(*) as "c3"
      from "analytics"."page_view" as "t3"
      where "t3"."site_id" = $5::smallint
        and "t3"."at" >= to_timestamp($6::float8)
        and "t3"."at" < to_timestamp($7::float8)
      group by 1, 2
    ) as "s4"
    left join "analytics"."device" as "d5" on "d5"."device_id" = "s4"."c2"
  ) as "s6" on "s2"."c1" = "s6"."c3"
  group by 1, 2
) as "s7"
left join "analytics"."page" as "d8" on "d8"."site_id" = $8::smallint
  and "d8"."page_id" = "s7"."c2"
order by "d8"."url" collate "C" asc nulls last, "s7"."c1" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = "2026-05-01"  $4 = "2026-06-01"  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1
-- $9 = 1000

-- ## sums and means of positions are exact
select "s4"."c5"::float8 as "r1", "s4"."c6"::float8 as "r2", "s4"."c7"::float8 as "r3", "s4"."c8"::float8 as "r4",
  count(*) over () as "r5"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 24) / "s3"."c6")::float8 as "c5",
    ("s3"."c7" * round(1::numeric, 53) / "s3"."c8")::float8 as "c6", ("s3"."c9" * round(1::numeric, 26) / "s3"."c10")::float8 as "c7",
    ("s3"."c11" * round(1::numeric, 55) / "s3"."c12")::float8 as "c8"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", ("s2"."c1")::numeric as "c5",
      ((1)::numeric * 100) as "c6", ("s2"."c1")::numeric as "c7", (nullif(("s2"."c2")::numeric, 0) * 100) as "c8",
      ("s2"."c3")::numeric as "c9", ((1)::numeric * 10000) as "c10", ("s2"."c3")::numeric as "c11",
      (nullif(("s2"."c4")::numeric, 0) * 10000) as "c12"
    from (
      select coalesce(sum(("t1"."position_x100")), 0) as "c1", count(*) as "c2", coalesce(sum(coalesce(round("t1"."clicks"::numeric * 10000 / nullif("t1"."impressions", 0)), 0)::bigint), 0) as "c3",
        count(*) as "c4"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
        and (
          select "e"."page_id"
          from "analytics"."page" as "e"
          where "e"."site_id" = $4::smallint
            and "e"."text_key" = $5::uuid
            and "e"."url" = $6::text
        ) is not null
        and "t1"."page_id" = (
          select "e"."page_id"
          from "analytics"."page" as "e"
          where "e"."site_id" = $7::smallint
            and "e"."text_key" = $8::uuid
            and "e"."url" = $9::text
        )
    ) as "s2"
  ) as "s3"
) as "s4"
limit $10;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $6 = "/a"
-- $7 = 1  $8 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $9 = "/a"  $10 = 1000
