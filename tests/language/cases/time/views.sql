-- ## two periods side by side
select "t1"."pv_id" as "r1", case when "s4"."c1" is null then $1::bigint else "s4"."c2" end as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "s3"."c1" as "c1", "s3"."c2" as "c2"
  from (
    select "t2"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t2"
    where "t2"."site_id" = $2::smallint
      and "t2"."at" >= to_timestamp($3::float8)
      and "t2"."at" < to_timestamp($4::float8)
    group by 1
  ) as "s3"
) as "s4" on "t1"."page_id" = "s4"."c1"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last
limit $8;
-- $1 = 0  $2 = 1  $3 = 1777561200  $4 = 1777647600  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1001

-- ## a view whose range has no data
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1577804400  $3 = 1580482800  $4 = 1000

-- ## a range outside the query's range, with times in its zone
select "t1"."pv_id" as "r1", to_char(("t1"."at" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  to_char(("t1"."at" at time zone make_interval(secs => $2::float8))::date, 'YYYY-MM-DD') as "r3"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 32400  $2 = 32400  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1001

-- ## the clocks go back in the view's range, but not in the query's
select "t1"."pv_id" as "r1", to_char(("t1"."at" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "t1"."at"), $2::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = [7200,3600]  $2 = [1792890000]  $3 = 2  $4 = 1792879200  $5 = 1792969200  $6 = 1001

-- ## a view keeps its range when another view reads it
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777647600  $3 = 1777734000  $4 = 1001

-- ## the view's range applies to both of its materials
select "s4"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s3"."c1") as "c1"
  from "analytics"."page_view" as "t1"
  left join (
    select "t2"."pv_id" as "c1"
    from "analytics"."click" as "t2"
    where "t2"."site_id" = $1::smallint
      and "t2"."at" >= to_timestamp($2::float8)
      and "t2"."at" < to_timestamp($3::float8)
  ) as "s3" on "t1"."pv_id" = "s3"."c1"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
) as "s4"
limit $7;
-- $1 = 1  $2 = 1577804400  $3 = 1580482800  $4 = 1  $5 = 1577804400  $6 = 1580482800  $7 = 1000
