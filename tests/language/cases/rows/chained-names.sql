-- ## two views with calcs of the same name
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(*) as "c1", count("s2"."c1") as "c2"
  from (
    select count(*) as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s2"
) as "s3"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
