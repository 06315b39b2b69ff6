-- ## a second key breaks ties, and then the kept columns do
select "t1"."pv_id" as "r1", "d2"."device_type" as "r2", "d3"."url" as "r3"
from "analytics"."page_view" as "t1"
left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
  and "d3"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
order by "d2"."device_type" collate "C" asc nulls last, "d3"."url" collate "C" desc nulls last,
  "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## an empty list of additional keys
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## the same column twice
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## the last two rows for each device
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "d2"."device_type" as "c1", "t1"."pv_id" as "c2", "t1"."at" as "c3", (row_number() over (partition by "d2"."device_type" order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last) - 1)::int as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s3"
where "s3"."c4" < $4::bigint
order by "s3"."c1" collate "C" asc nulls last, "s3"."c2" desc nulls last, "s3"."c3" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1000

-- ## the most viewed page for each source; null is a value
select "s6"."c1" as "r1", "s6"."c2" as "r2", "s6"."c3" as "r3", count(*) over () as "r4"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", (row_number() over (partition by "s5"."c1" order by "s5"."c3" desc nulls last, "s5"."c2" collate "C" asc nulls last) - 1)::int as "c4"
  from (
    select "d3"."utm_source" as "c1", "d4"."url" as "c2", coalesce(sum("s2"."c3"), 0) as "c3"
    from (
      select "t1"."source_id" as "c1", "t1"."page_id" as "c2", count(*) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1, 2
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."source_id" = "s2"."c1"
    left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
      and "d4"."page_id" = "s2"."c2"
    group by 1, 2
  ) as "s5"
) as "s6"
where "s6"."c4" < $6::bigint
order by "s6"."c1" collate "C" asc nulls last, "s6"."c3" desc nulls last, "s6"."c2" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1  $7 = 1000

-- ## an empty per applies top to all rows
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2

-- ## counting rows after top for each value
select "s4"."c1"
from (
  select count(*) as "c1"
  from (
    select (row_number() over (partition by "d2"."device_type" order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last) - 1)::int as "c1"
    from "analytics"."page_view" as "t1"
    left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s3"
  where "s3"."c1" < $4::bigint
) as "s4";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2

-- ## limit after top for each value
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "d2"."device_type" as "c1", "t1"."pv_id" as "c2", "t1"."at" as "c3", (row_number() over (partition by "d2"."device_type" order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last) - 1)::int as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s3"
where "s3"."c4" < $4::bigint
order by "s3"."c1" collate "C" asc nulls last, "s3"."c2" desc nulls last, "s3"."c3" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1

-- ## a view reads the rows left by top for each value
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select count("s3"."c1") as "c1", coalesce(sum("s3"."c2"), 0) as "c2"
  from (
    select "d2"."device_type" as "c1", "t1"."pv_id" as "c2", (row_number() over (partition by "d2"."device_type" order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last) - 1)::int as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s3"
  where "s3"."c3" < $4::bigint
) as "s4"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000
