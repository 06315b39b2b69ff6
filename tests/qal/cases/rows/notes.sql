-- ## notes everywhere
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv" >= $4::bigint
order by "t1"."pv_id" asc nulls last, "t1"."at" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 2

-- ## notes beside qal
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1001

-- ## notes in a join and its pairs
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."click_id" as "c2", "t2"."pv_id" as "c3"
  from "analytics"."click" as "t2"
  where "t2"."site_id" = $1::smallint
    and "t2"."at" >= to_timestamp($2::float8)
    and "t2"."at" < to_timestamp($3::float8)
) as "s3" on "t1"."pv_id" = "s3"."c3"
where "t1"."site_id" = $4::smallint
  and "t1"."at" >= to_timestamp($5::float8)
  and "t1"."at" < to_timestamp($6::float8)
  and "t1"."pv_id" = $7::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = 1001
