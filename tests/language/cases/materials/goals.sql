-- ## visits that reached a page
select "s3"."c1" as "r1", "s3"."c2" as "r2", "d4"."url" as "r3", to_char(("s3"."c3" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r4",
  "s3"."c4" as "r5", "s3"."c5" as "r6", "d5"."os" as "r7", "d6"."browser" as "r8"
from (
  select "s2"."c4" as "c1", "s2"."c5" as "c2", "s2"."c6" as "c3", "s2"."c7" as "c4", ("s2"."c8" + $2::int) as "c5",
    "s2"."c1" as "c6", "s2"."c2" as "c7", "s2"."c3" as "c8"
  from (
    select "t1"."page_id" as "c1", "t1"."os_id" as "c2", "t1"."browser_id" as "c3", "t1"."pv_id" as "c4",
      "t1"."session_id" as "c5", "t1"."at" as "c6", (row_number() over (order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last) - 1)::int as "c7",
      "t1"."pv" as "c8"
    from "analytics"."conversion_view" as "t1"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
      and "t1"."goal_no" = $6::bigint
  ) as "s2"
  order by "s2"."c6" asc nulls last, "s2"."c4" asc nulls last
  limit $7
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $8::smallint
  and "d4"."page_id" = "s3"."c6"
left join "analytics"."os" as "d5" on "d5"."os_id" = "s3"."c7"
left join "analytics"."browser" as "d6" on "d6"."browser_id" = "s3"."c8"
order by "s3"."c3" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 32400  $2 = -1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1001  $8 = 1

-- ## other columns of the converting view
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", "s4"."c4" as "r4", "s4"."c5" as "r5",
  "d5"."version_no" as "r6", "s4"."c6" as "r7", "s4"."c7" as "r8"
from (
  select $1::int as "c1", (
    select count(distinct "x"."session_id")::int
    from "analytics"."page_view" "x"
    where "x"."site_id" = $2::smallint
      and "x"."reader_id" = "t1"."reader_id"
      and "x"."at" <= "t1"."at"
      and "x"."at" > ("t1"."at" - make_interval(secs => 172800))
      and ("x"."at" at time zone make_interval(secs => $3::float8))::date = ("t1"."at" at time zone make_interval(secs => $4::float8))::date
  ) as "c2", ("t1"."depth_position" is not null)::int as "c3", exists (
    select 1
    from "analytics"."click" "x"
    where "x"."site_id" = $5::smallint
      and "x"."pv_id" = "t1"."pv_id"
  )::int as "c4", exists (
    select 1
    from "analytics"."event" "x"
    where "x"."site_id" = $6::smallint
      and "x"."pv_id" = "t1"."pv_id"
  )::int as "c5", ("d2"."session_id" is not null)::int as "c6", ("d3"."session_id" is not null)::int as "c7",
    "t1"."at" as "c8", "t1"."pv_id" as "c9", "t1"."version_id" as "c10"
  from "analytics"."conversion_view" as "t1"
  left join "analytics"."conversion" as "d2" on "d2"."site_id" = $7::smallint
    and "d2"."goal_no" = $8::smallint
    and "d2"."session_id" = "t1"."session_id"
  left join "analytics"."conversion" as "d3" on "d3"."site_id" = $9::smallint
    and "d3"."goal_no" = $10::smallint
    and "d3"."session_id" = "t1"."session_id"
  where "t1"."site_id" = $11::smallint
    and "t1"."at" >= to_timestamp($12::float8)
    and "t1"."at" < to_timestamp($13::float8)
    and "t1"."goal_no" = $14::bigint
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $15
) as "s4"
left join "analytics"."page_version" as "d5" on "d5"."site_id" = $16::smallint
  and "d5"."version_id" = "s4"."c10"
order by "s4"."c8" asc nulls last, "s4"."c9" asc nulls last;
-- $1 = 0  $2 = 1  $3 = 32400  $4 = 32400  $5 = 1  $6 = 1  $7 = 1  $8 = 2  $9 = 1  $10 = 1  $11 = 1
-- $12 = 1777561200  $13 = 1780239600  $14 = 1  $15 = 1001  $16 = 1

-- ## visits that clicked, with the view of the first click
select "t1"."pv_id" as "r1"
from "analytics"."conversion_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."goal_no" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1001

-- ## visits with an event that has the parameter
select "s2"."c1" as "r1", "d3"."utm_source" as "r2"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."source_id" as "c3"
  from "analytics"."conversion_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."goal_no" = $4::bigint
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."source" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."source_id" = "s2"."c3"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1001  $6 = 1

-- ## conversion indexes do not depend on the filter
select "s3"."c1" as "r1"
from (
  select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3"
  from (
    select (row_number() over (order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last) - 1)::int as "c1",
      "t1"."at" as "c2", "t1"."pv_id" as "c3", "t1"."device_id" as "c4"
    from "analytics"."conversion_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."goal_no" = $4::bigint
  ) as "s2"
  where (
    select "e"."device_id"
    from "analytics"."device" as "e"
    where "e"."device_type" = $5::text
  ) is not null
    and "s2"."c4" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $6::text
    )
  order by "s2"."c2" asc nulls last, "s2"."c3" asc nulls last
  limit $7
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c3" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "SP"  $6 = "SP"  $7 = 1001

-- ## conversions by day
select to_char("s3"."c1", 'YYYY-MM-DD') as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select ("s2"."c1" at time zone make_interval(secs => $1::float8))::date as "c1", count(*) as "c2",
    max("s2"."c2") as "c3"
  from (
    select "t1"."at" as "c1", (row_number() over (order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last) - 1)::int as "c2"
    from "analytics"."conversion_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and "t1"."goal_no" = $5::bigint
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c1" asc nulls last
limit $6;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1000

-- ## all views of visits that converted
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."goal_no" = $2::smallint
  and "d2"."session_id" = "t1"."session_id"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
  and ("d2"."session_id" is not null)::int = $6::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1001

-- ## conversion rate by source
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select "d4"."utm_source" as "c1", coalesce(sum("s3"."c2"), 0) as "c2", coalesce(sum("s3"."c3"), 0) as "c3"
  from (
    select "t1"."source_id" as "c1", count(*) as "c2", coalesce(sum(("d2"."session_id" is not null)::int), 0) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."goal_no" = $2::smallint
      and "d2"."session_id" = "t1"."session_id"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
      and "t1"."pv" = $6::bigint
    group by 1
  ) as "s3"
  left join "analytics"."source" as "d4" on "d4"."site_id" = $7::smallint
    and "d4"."source_id" = "s3"."c1"
  group by 1
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1  $8 = 1000

-- ## distinct visits by goal
select "s4"."c1" as "r1", "s4"."c3" as "r2", "s4"."c2" as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", coalesce(sum("s3"."c3"), 0) as "c2", count("s3"."c2") as "c3"
  from (
    select ("d2"."session_id" is not null)::int as "c1", "t1"."session_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."goal_no" = $2::smallint
      and "d2"."session_id" = "t1"."session_id"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
    group by 1, 2
  ) as "s3"
  group by 1
) as "s4"
order by "s4"."c1" asc nulls last
limit $6;
-- $1 = 1  $2 = 2  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## a goal that only a calc's filter names
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when (("d2"."session_id" is not null)::int = $1::bigint) is not true then "t1"."pv_id" end) as "c1",
    count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."conversion" as "d2" on "d2"."site_id" = $2::smallint
    and "d2"."goal_no" = $3::smallint
    and "d2"."session_id" = "t1"."session_id"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
) as "s3"
limit $7;
-- $1 = 0  $2 = 1  $3 = 1  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## with all sites, a goal that only one of them defines
select "d4"."tracking_id" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."site_id" as "c1", coalesce(sum(("d2"."session_id" is not null)::int), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."conversion" as "d2" on "d2"."site_id" = "t1"."site_id"
    and "d2"."goal_no" = $1::smallint
    and "d2"."session_id" = "t1"."session_id"
  where "t1"."site_id" = any($2::smallint[])
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s3"
left join "analytics"."site" as "d4" on "d4"."site_id" = "s3"."c1"
order by "d4"."tracking_id" collate "C" asc nulls last, "s3"."c1" asc nulls last
limit $5;
-- $1 = 2  $2 = [1,2,3]  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## with all sites, the goals of the sites that the user may see
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."goal_no" = $2::smallint
  and "d2"."session_id" = "t1"."session_id"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
  and ("d2"."session_id" is not null)::int = $6::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "t1"."site_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1001

-- ## conversions with their clicks
select "s5"."c1" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."pv_id" as "c1", coalesce(sum("s4"."c1"), 0) as "c2"
  from "analytics"."conversion_view" as "t1"
  left join (
    select "s3"."c2" as "c1", "s3"."c1" as "c2"
    from (
      select "t2"."pv_id" as "c1", count("t2"."pv_id") as "c2"
      from "analytics"."click" as "t2"
      where "t2"."site_id" = $1::smallint
        and "t2"."at" >= to_timestamp($2::float8)
        and "t2"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s3"
  ) as "s4" on "t1"."pv_id" = "s4"."c2"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and "t1"."goal_no" = $7::bigint
  group by 1
) as "s5"
order by "s5"."c1" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = 1000
