-- ## one of two filters, and another condition
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and ("d2"."url" = $5::text or "d2"."title" is null)
    and (
      select "e"."country_id"
      from "analytics"."country" as "e"
      where "e"."text_key" = $6::uuid
        and "e"."country_code" = $7::text
    ) is not null
    and "t1"."country_id" = (
      select "e"."country_id"
      from "analytics"."country" as "e"
      where "e"."text_key" = $8::uuid
        and "e"."country_code" = $9::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "a92c100630673027f4d0b81abda1edf3"
-- $7 = "JP"  $8 = "a92c100630673027f4d0b81abda1edf3"  $9 = "JP"  $10 = 1001

-- ## all conditions in at least one of the filters must match
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."url" = $5::text and "d3"."country_code" = $6::text or "t1"."pv" >= $7::bigint)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "JP"  $7 = 2  $8 = 1001

-- ## every operator is allowed
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."source" as "d3" on "d3"."site_id" = $2::smallint
  and "d3"."source_id" = "t1"."source_id"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
  and ((starts_with("d2"."url", $6::text)) is not true and strpos("d2"."url", $7::text) > 0 or "t1"."browse_sec" between $8::bigint and $9::bigint or "d3"."utm_source" = any($10::text[]))
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "/"  $7 = "x"  $8 = 25  $9 = 61
-- $10 = ["Google","other"]  $11 = 1001

-- ## an empty list never matches
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  limit $4
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1001

-- ## an empty filter always matches
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and (true or "t1"."pv" = $4::bigint)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 99  $5 = 1001

-- ## a filter with any in a view with groups
select "d6"."device_type" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select "s4"."c1" as "c1", coalesce(sum("s4"."c3"), 0) as "c2", count("s4"."c2") as "c3"
  from (
    select "t1"."device_id" as "c1", "t1"."session_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."page_id" = "t1"."page_id"
    left join "analytics"."country" as "d3" on "d3"."country_id" = "t1"."country_id"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and ("d2"."url" = $5::text or "d3"."country_code" = $6::text)
    group by 1, 2
  ) as "s4"
  group by 1
) as "s5"
left join "analytics"."device" as "d6" on "d6"."device_id" = "s5"."c1"
order by "d6"."device_type" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = "US"  $7 = 1000

-- ## any on the output of an earlier view, including calcs
select "d3"."url" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
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
where ("s2"."c2" >= $5::bigint or "d3"."url" = $6::text)
order by "d3"."url" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 2  $6 = "/b"  $7 = 1000
