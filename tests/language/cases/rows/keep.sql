-- ## keep selects columns; rows are ordered by time, then by id
select "s2"."c1" as "r1", "d3"."url" as "r2"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."page_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $4
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."page_id" = "s2"."c3"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001  $5 = 1

-- ## keep does not remove duplicates
select "d3"."device_type" as "r1"
from (
  select "t1"."at" as "c1", "t1"."pv_id" as "c2", "t1"."device_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = any($4::bigint[])
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c3"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,2]  $5 = 1001

-- ## a column named twice appears once
select "d3"."url" as "r1"
from (
  select "t1"."at" as "c1", "t1"."pv_id" as "c2", "t1"."page_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = $4::bigint
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."page_id" = "s2"."c3"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001  $6 = 1

-- ## null and the empty string stay distinct
select "d3"."title" as "r1", "d4"."os" as "r2", "d5"."browser" as "r3", "d6"."utm_medium" as "r4",
  "s2"."c1" as "r5"
from (
  select "t1"."browse_sec" as "c1", "t1"."at" as "c2", "t1"."pv_id" as "c3", "t1"."page_id" as "c4",
    "t1"."os_id" as "c5", "t1"."browser_id" as "c6", "t1"."medium_id" as "c7"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = any($4::bigint[])
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."page_id" = "s2"."c4"
left join "analytics"."os" as "d4" on "d4"."os_id" = "s2"."c5"
left join "analytics"."browser" as "d5" on "d5"."browser_id" = "s2"."c6"
left join "analytics"."medium" as "d6" on "d6"."site_id" = $7::smallint
  and "d6"."medium_id" = "s2"."c7"
order by "s2"."c2" asc nulls last, "s2"."c3" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [4,5]  $5 = 1001  $6 = 1  $7 = 1

-- ## ua is the OS and the browser, or null if one of them is missing
select ("d3"."os" || ' ' || "d4"."browser") as "r1"
from (
  select "t1"."at" as "c1", "t1"."pv_id" as "c2", "t1"."os_id" as "c3", "t1"."browser_id" as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = any($4::bigint[])
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."os" as "d3" on "d3"."os_id" = "s2"."c3"
left join "analytics"."browser" as "d4" on "d4"."browser_id" = "s2"."c4"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,4,5]  $5 = 1001

-- ## the previous and next pages in the visit
select "s2"."c1" as "r1", "d3"."url" as "r2", "d4"."url" as "r3", "d4"."title" as "r4"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."prev_page_id" as "c3", "t1"."next_page_id" as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."session_id" = $4::bigint
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."page_id" = "s2"."c3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $7::smallint
  and "d4"."page_id" = "s2"."c4"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1001  $6 = 1  $7 = 1

-- ## flags are 0 and 1
select "t1"."is_last"::int as "r1", "t1"."is_newuser"::int as "r2", "t1"."deep_read"::int as "r3"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = any($4::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,2]  $5 = 1001

-- ## tracking_id is a column
select "d3"."tracking_id" as "r1"
from (
  select "t1"."at" as "c1", "t1"."pv_id" as "c2", "t1"."site_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = $4::bigint
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $5
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c3"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## a view that the result does not use is checked, but not run
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## a view may have the name of a JavaScript object property
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1001
