-- ## a listed material does not have to be used
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001
