-- ## by a calc; ties are ordered by the kept columns
select "d4"."url" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3"
from (
  (
    select "s2"."c2" as "c1", count(*) over () as "c2", "s2"."c1" as "c3"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."page_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000  $5 = 1  $6 = 1000

-- ## top applies after the sort
select "d4"."url" as "r1", "s3"."c1" as "r2"
from (
  (
    select "s2"."c2" as "c1", "s2"."c1" as "c2"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."page_id" = "s3"."c2"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 2

-- ## by a qualified column; ties are ordered by time and id
select "t1"."pv_id" as "r1", "d2"."device_type" as "r2"
from "analytics"."page_view" as "t1"
left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "d2"."device_type" collate "C" desc nulls last, "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## null is last in ascending order
select "t1"."pv_id" as "r1", "t1"."browse_sec" as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."browse_sec" asc nulls last, "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## null is last in descending order
select "t1"."pv_id" as "r1", "t1"."browse_sec" as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."browse_sec" desc nulls last, "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## text is sorted bytewise
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "d3"."utm_source" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
  from (
    select "t1"."source_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."source_id" = "s2"."c1"
  group by 1
) as "s4"
order by "s4"."c1" collate "C" desc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## top without groups
select "s2"."c1" as "r1", "d3"."url" as "r2"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."page_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
  limit $4
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."page_id" = "s2"."c3"
order by "s2"."c1" desc nulls last, "s2"."c2" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1
