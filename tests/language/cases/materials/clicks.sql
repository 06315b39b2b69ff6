-- ## rows are ordered by time, then by import order
select "s2"."c1" as "r1", to_char(("s2"."c2" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  "d3"."selector" as "r3", "s2"."c3" as "r4"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."session_id" as "c3", "t1"."click_id" as "c4",
    "t1"."selector_id" as "c5"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  order by "t1"."at" asc nulls last, "t1"."click_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."selector" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."selector_id" = "s2"."c5"
order by "s2"."c2" asc nulls last, "s2"."c4" asc nulls last;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001  $6 = 1

-- ## all columns of a click
select "s2"."c1" as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3", "s2"."c4" as "r4", "s2"."c5" as "r5",
  "s2"."c6"::float8 as "r6", "s2"."c7"::float8 as "r7", to_char("s2"."c8", 'YYYY-MM-DD') as "r8",
  "s2"."c9" as "r9", "d3"."tracking_id" as "r10"
from (
  select "t1"."event_sec" as "c1", "t1"."element_text" as "c2", "t1"."to_url" as "c3", "t1"."is_external"::int as "c4",
    "t1"."action_id" as "c5", "t1"."page_x_pct" as "c6", "t1"."page_y_pct" as "c7", ("t1"."at" at time zone make_interval(secs => $1::float8))::date as "c8",
    extract(hour from ("t1"."at" at time zone make_interval(secs => $2::float8)))::int as "c9",
    "t1"."at" as "c10", "t1"."click_id" as "c11", "t1"."site_id" as "c12"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
    and "t1"."pv_id" = any($6::bigint[])
    and "t1"."event_sec" >= $7::bigint
  order by "t1"."at" asc nulls last, "t1"."click_id" asc nulls last
  limit $8
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c12"
order by "s2"."c10" asc nulls last, "s2"."c11" asc nulls last;
-- $1 = 32400  $2 = 32400  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = [2,3]  $7 = 1  $8 = 1001

-- ## clicks by selector
select "d4"."selector" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3", "s3"."c3" as "r4"
from (
  (
    select "s2"."c2" as "c1", "s2"."c3" as "c2", count(*) over () as "c3", "s2"."c1" as "c4"
    from (
      select "t1"."selector_id" as "c1", count(*) as "c2", count(distinct "t1"."pv_id") as "c3"
      from "analytics"."click" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."selector" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."selector_id" = "s3"."c4"
order by "s3"."c1" desc nulls last, "d4"."selector" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000  $5 = 1  $6 = 1000

-- ## page views with their clicks
select "s8"."c1" as "r1", "s8"."c2" as "r2", "s8"."c3" as "r3", "s8"."c6"::float8 as "r4", count(*) over () as "r5"
from (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", "s7"."c3" as "c3", "s7"."c4" as "c4", "s7"."c5" as "c5",
    ("s7"."c6" * round(1::numeric, 50) / "s7"."c7")::float8 as "c6"
  from (
    select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", "s6"."c4" as "c4", "s6"."c5" as "c5",
      "s6"."c6" as "c6", nullif(("s6"."c5")::numeric, 0) as "c7"
    from (
      select "d5"."url" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", "s4"."c5" as "c5",
        ("s4"."c4")::text::numeric as "c6"
      from (
        select "t1"."page_id" as "c1", count("s3"."c1") as "c2", count(distinct "t1"."pv_id") as "c3",
          coalesce(sum("s3"."c2"::text::numeric), 0) as "c4", count("s3"."c2") as "c5"
        from "analytics"."page_view" as "t1"
        left join (
          select "t2"."pv_id" as "c1", "t2"."page_x_pct" as "c2"
          from "analytics"."click" as "t2"
          where "t2"."site_id" = $1::smallint
            and "t2"."at" >= to_timestamp($2::float8)
            and "t2"."at" < to_timestamp($3::float8)
        ) as "s3" on "t1"."pv_id" = "s3"."c1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp($5::float8)
          and "t1"."at" < to_timestamp($6::float8)
        group by 1
      ) as "s4"
      left join "analytics"."page" as "d5" on "d5"."site_id" = $7::smallint
        and "d5"."page_id" = "s4"."c1"
    ) as "s6"
  ) as "s7"
) as "s8"
order by "s8"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = 1000

-- ## clicks with their page views
select "d6"."selector" as "r1", "s5"."c1" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select "s4"."c1" as "c1", "t1"."selector_id" as "c2", count(*) as "c3"
  from "analytics"."click" as "t1"
  inner join (
    select "d3"."device_type" as "c1", "t2"."pv_id" as "c2"
    from "analytics"."page_view" as "t2"
    left join "analytics"."device" as "d3" on "d3"."device_id" = "t2"."device_id"
    where "t2"."site_id" = $1::smallint
      and "t2"."at" >= to_timestamp($2::float8)
      and "t2"."at" < to_timestamp($3::float8)
  ) as "s4" on "t1"."pv_id" = "s4"."c2"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and (
      select "e"."selector_id"
      from "analytics"."selector" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."selector" = $9::text
    ) is not null
    and "t1"."selector_id" = (
      select "e"."selector_id"
      from "analytics"."selector" as "e"
      where "e"."site_id" = $10::smallint
        and "e"."text_key" = $11::uuid
        and "e"."selector" = $12::text
    )
  group by 1, 2
) as "s5"
left join "analytics"."selector" as "d6" on "d6"."site_id" = $13::smallint
  and "d6"."selector_id" = "s5"."c2"
order by "d6"."selector" collate "C" asc nulls last, "s5"."c1" collate "C" asc nulls last
limit $14;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "666b22b70572576c05ccba10da45d7a5"  $9 = "#buy"  $10 = 1  $11 = "666b22b70572576c05ccba10da45d7a5"
-- $12 = "#buy"  $13 = 1  $14 = 1000

-- ## with all sites, clicks join views from their own site
select "s6"."c1" as "r1", "s6"."c2" as "r2", "s6"."c4" as "r3", count(*) over () as "r4"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "t1"."site_id" as "c3", count(*) as "c4"
  from "analytics"."click" as "t1"
  left join (
    select "d3"."tracking_id" as "c1", "d4"."country_code" as "c2", "t2"."pv_id" as "c3", "t2"."site_id" as "c4"
    from "analytics"."page_view" as "t2"
    left join "analytics"."site" as "d3" on "d3"."site_id" = "t2"."site_id"
    left join "analytics"."country" as "d4" on "d4"."country_id" = "t2"."country_id"
    where "t2"."site_id" = any($1::smallint[])
      and "t2"."at" >= to_timestamp($2::float8)
      and "t2"."at" < to_timestamp($3::float8)
  ) as "s5" on "t1"."pv_id" = "s5"."c3"
    and "t1"."site_id" = "s5"."c4"
  where "t1"."site_id" = any($4::smallint[])
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and ("t1"."site_id", "t1"."selector_id") in (
      select "e"."site_id", "e"."selector_id"
      from "analytics"."selector" as "e"
      where "e"."site_id" = any($7::smallint[])
        and "e"."text_key" = $8::uuid
        and "e"."selector" = $9::text
    )
  group by 1, 2, 3
) as "s6"
order by "s6"."c1" collate "C" asc nulls last, "s6"."c2" collate "C" asc nulls last, "s6"."c3" asc nulls last
limit $10;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = [1,2,3]
-- $8 = "666b22b70572576c05ccba10da45d7a5"  $9 = "#buy"  $10 = 1000

-- ## clicks on page views in the range, without earlier views and their clicks
select "d3"."selector" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."selector_id" as "c1", count(*) as "c2"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."view_at" >= to_timestamp($4::float8)
    and "t1"."view_at" < to_timestamp($5::float8)
  group by 1
) as "s2"
left join "analytics"."selector" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."selector_id" = "s2"."c1"
order by "d3"."selector" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561202  $3 = 1780239600  $4 = 1777561202  $5 = 1780239600  $6 = 1  $7 = 1000

-- ## views and clicks by page, with many matches on both sides
select "s9"."c1" as "r1", "s9"."c2" as "r2", "s9"."c3" as "r3", "s9"."c4" as "r4", "s9"."c9"::float8 as "r5",
  "s9"."c5" as "r6", "s9"."c6" as "r7", count(*) over () as "r8"
from (
  select "s8"."c1" as "c1", "s8"."c2" as "c2", "s8"."c3" as "c3", "s8"."c4" as "c4", "s8"."c5" as "c5",
    "s8"."c6" as "c6", "s8"."c7" as "c7", "s8"."c8" as "c8", ("s8"."c9" * round(1::numeric, 50) / "s8"."c10")::float8 as "c9"
  from (
    select "d7"."url" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", "s6"."c4" as "c4", "s6"."c5" as "c5",
      "s6"."c8" as "c6", "s6"."c6" as "c7", "s6"."c7" as "c8", ("s6"."c6")::numeric as "c9",
      nullif(("s6"."c7")::numeric, 0) as "c10"
    from (
      select "s2"."c3" as "c1", coalesce(sum(("s2"."c6"::numeric * coalesce("s5"."c4", $1::bigint))), 0) as "c2",
        coalesce(sum(("s2"."c6"::numeric * coalesce("s5"."c1", $2::bigint))), 0) as "c3", coalesce(sum(("s2"."c6"::numeric * coalesce("s5"."c2", $3::bigint))), 0) as "c4",
        max("s5"."c3") as "c5", coalesce(sum(("s2"."c4"::numeric * coalesce("s5"."c4", $4::bigint))), 0) as "c6",
        coalesce(sum(("s2"."c5"::numeric * coalesce("s5"."c4", $5::bigint))), 0) as "c7", count(distinct "s2"."c1") as "c8"
      from (
        select "t1"."reader_id" as "c1", "t1"."page_id" as "c2", "t1"."page_id" as "c3", coalesce(sum("t1"."browse_sec"), 0) as "c4",
          count("t1"."browse_sec") as "c5", count(*) as "c6"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $6::smallint
          and "t1"."at" >= to_timestamp($7::float8)
          and "t1"."at" < to_timestamp($8::float8)
        group by 1, 2, 3
      ) as "s2"
      left join (
        select "s4"."c2" as "c1", "s4"."c3" as "c2", "s4"."c4" as "c3", "s4"."c5" as "c4", "s4"."c1" as "c5"
        from (
          select "t3"."page_id" as "c1", count("t3"."pv_id") as "c2", coalesce(sum("t3"."event_sec"), 0) as "c3",
            max("t3"."event_sec") as "c4", count(*) as "c5"
          from "analytics"."click" as "t3"
          where "t3"."site_id" = $9::smallint
            and "t3"."at" >= to_timestamp($10::float8)
            and "t3"."at" < to_timestamp($11::float8)
          group by 1
        ) as "s4"
      ) as "s5" on "s2"."c2" = "s5"."c5"
      group by 1
    ) as "s6"
    left join "analytics"."page" as "d7" on "d7"."site_id" = $12::smallint
      and "d7"."page_id" = "s6"."c1"
  ) as "s8"
) as "s9"
order by "s9"."c1" collate "C" asc nulls last
limit $13;
-- $1 = 1  $2 = 0  $3 = 0  $4 = 1  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1  $10 = 1777561200
-- $11 = 1780239600  $12 = 1  $13 = 1000

-- ## clicks joined by visit are counted once for each page view of their visit
select "d6"."device_type" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", "s5"."c4" as "r4",
  count(*) over () as "r5"
from (
  select "t1"."device_id" as "c1", coalesce(sum(case when "s4"."c4" is null then $1::bigint else "s4"."c3" end), 0) as "c2",
    coalesce(sum("s4"."c1"), 0) as "c3", max("s4"."c2") as "c4"
  from "analytics"."page_view" as "t1"
  inner join (
    select "s3"."c2" as "c1", "s3"."c3" as "c2", "s3"."c4" as "c3", "s3"."c1" as "c4"
    from (
      select "t2"."session_id" as "c1", coalesce(sum("t2"."event_sec"), 0) as "c2", max("t2"."event_sec") as "c3",
        count(*) as "c4"
      from "analytics"."click" as "t2"
      where "t2"."site_id" = $2::smallint
        and "t2"."at" >= to_timestamp($3::float8)
        and "t2"."at" < to_timestamp($4::float8)
      group by 1
    ) as "s3"
  ) as "s4" on "t1"."session_id" = "s4"."c4"
  where "t1"."site_id" = $5::smallint
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
  group by 1
) as "s5"
left join "analytics"."device" as "d6" on "d6"."device_id" = "s5"."c1"
order by "d6"."device_type" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1000

-- ## clicks of a visit that began before the range are counted once for each of its page views in the range
select "s7"."c1" as "r1", "s7"."c2" as "r2", "s7"."c3" as "r3", count(*) over () as "r4"
from (
  select "s6"."c1" as "c1", coalesce(sum(("s2"."c3"::numeric * coalesce("s6"."c2", $1::bigint))), 0) as "c2",
    coalesce(sum(("s2"."c2"::numeric * coalesce("s6"."c2", $2::bigint))), 0) as "c3"
  from (
    select "t1"."session_id" as "c1", coalesce(sum("t1"."event_sec"), 0) as "c2", count(*) as "c3"
    from "analytics"."click" as "t1"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
    group by 1
  ) as "s2"
  inner join (
    select "d5"."country_code" as "c1", "s4"."c3" as "c2", "s4"."c1" as "c3"
    from (
      select "t3"."session_id" as "c1", "t3"."country_id" as "c2", count(*) as "c3"
      from "analytics"."page_view" as "t3"
      where "t3"."site_id" = $6::smallint
        and "t3"."at" >= to_timestamp($7::float8)
        and "t3"."at" < to_timestamp($8::float8)
      group by 1, 2
    ) as "s4"
    left join "analytics"."country" as "d5" on "d5"."country_id" = "s4"."c2"
  ) as "s6" on "s2"."c1" = "s6"."c3"
  group by 1
) as "s7"
order by "s7"."c1" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561202  $5 = 1780239600  $6 = 1  $7 = 1777561202  $8 = 1780239600  $9 = 1000
