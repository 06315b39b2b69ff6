-- ## a filter runs before the join
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."pv_id" as "c1", count("s3"."c1") as "c2"
  from "analytics"."page_view" as "t1"
  left join (
    select "t2"."pv_id" as "c1", "t2"."session_id" as "c2"
    from "analytics"."page_view" as "t2"
    where "t2"."site_id" = $1::smallint
      and "t2"."at" >= to_timestamp($2::float8)
      and "t2"."at" < to_timestamp($3::float8)
  ) as "s3" on "t1"."session_id" = "s3"."c2"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and "t1"."pv_id" = any($7::bigint[])
  group by 1
) as "s4"
order by "s4"."c1" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = [1,3]  $8 = 1000

-- ## null keys never match
select "t1"."version_id" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3", "t2"."version_id" as "c4"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
) as "s4" on "t1"."version_id" = "s4"."c4"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and "t1"."pv_id" = $8::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1001

-- ## the time range applies to each side of a join
select "t1"."pv_id" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."click_id" as "c2", "d3"."selector" as "c3", "t2"."pv_id" as "c4"
  from "analytics"."click" as "t2"
  left join "analytics"."selector" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."selector_id" = "t2"."selector_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
) as "s4" on "t1"."pv_id" = "s4"."c4"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and "t1"."pv_id" = $8::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 6  $9 = 1001

-- ## a click on a page view before the range has no match
select "t1"."pv_id" as "r1", "s4"."c3" as "r2"
from "analytics"."click" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
) as "s4" on "t1"."pv_id" = "s4"."c2"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."click_id" asc nulls last, "s4"."c1" asc nulls last,
  "s4"."c2" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561231  $4 = 1777647600  $5 = 1  $6 = 1777561231  $7 = 1777647600  $8 = 1001
