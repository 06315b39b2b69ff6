-- ## neither of two filters matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."url" = $5::text or "d3"."country_code" = $6::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "JP"  $7 = 1001

-- ## a filter with several conditions matches only if all of them do
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."url" = $5::text and "d3"."country_code" = $6::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "JP"  $7 = 1001

-- ## a filter on a null value does not match
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."utm_source" = $5::text or "t1"."browse_sec" >= $6::bigint) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "google"  $6 = 60  $7 = 1001

-- ## a filter for null matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."title" is null) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## a negated test matches null, even in none
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."utm_source" is distinct from $5::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "google"  $6 = 1001

-- ## none next to any and other conditions
select "s4"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and ("d2"."url" = $5::text or "t1"."pv" = $6::bigint)
    and ("d3"."country_code" = $7::text) is not true
    and exists (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = any($8::text[])
    )
    and "t1"."device_id" = any(array(
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = any($9::text[])
    ))
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s4"
order by "s4"."c2" asc nulls last, "s4"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1  $7 = "JP"  $8 = ["PC","SP"]
-- $9 = ["PC","SP"]  $10 = 1001

-- ## an empty filter in none always matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and (true or "t1"."pv" = $4::bigint) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 99  $5 = 1001

-- ## none inside any
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."url" = $5::text or "d3"."country_code" = $6::text and ("d2"."url" = $7::text or "d2"."url" = $8::text) is not true)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/b"  $6 = "US"  $7 = "/a"  $8 = "/"  $9 = 1001

-- ## any inside none
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
  and "d3"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."country_code" = $5::text and ("d3"."url" = $6::text or "d3"."url" = $7::text)) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "JP"  $6 = "/a"  $7 = "/b"  $8 = 1001

-- ## an empty any inside none never matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("d2"."country_code" = $4::text and false) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "JP"  $5 = 1001

-- ## three levels of any and none
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ((("d2"."url" = $5::text or "d2"."url" = $6::text) or "d3"."country_code" = $7::text) is not true or "t1"."pv" = $8::bigint)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "/b"  $7 = "US"  $8 = 2  $9 = 1001

-- ## three levels that begin with none
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ((("d2"."url" = $5::text or "d2"."url" = $6::text) is not true or "t1"."pv" = $7::bigint)) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "/"  $7 = 2  $8 = 1001

-- ## groups with none
select "d4"."device_type" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."device_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and ("d2"."url" = $5::text) is not true
  group by 1
) as "s3"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
order by "d4"."device_type" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1000

-- ## none on the output of an earlier view
select "d3"."url" as "r1", count(*) over () as "r2"
from (
  select "t1"."page_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
  and "d3"."page_id" = "s2"."c1"
where ("s2"."c2" >= $5::bigint or "d3"."url" = $6::text or strpos("d3"."url", $7::text) > 0) is not true
order by "d3"."url" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 2  $6 = "/b"  $7 = "%"  $8 = 1000

-- ## an empty none excludes nothing
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv" = $4::bigint
  and false is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## an empty none inside any always matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."url" = $5::text or false is not true)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/none"  $6 = 1001
