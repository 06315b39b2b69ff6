-- ## part of a device name is plain text
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and strpos("d2"."device_type", $4::text) > 0
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "mobile"  $5 = 1001
