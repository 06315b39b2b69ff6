-- ## not_in also finds rows without a value
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."utm_source" = any($5::text[])) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ["google","Google"]  $6 = 1001

-- ## not_in with an empty list finds every row
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."utm_source" = any($5::text[])) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = []  $6 = 1001

-- ## not_in with one value means neq
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("d2"."utm_source" = any($5::text[])) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ["google"]  $6 = 1001

-- ## not_in with numbers and instants
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("t1"."pv" = any($4::float8[])) is not true
  and (extract(epoch from "t1"."at") = any($5::numeric[])) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [2,7.5]  $5 = [1777561200]  $6 = 1001

-- ## not_contains is case-sensitive
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (strpos("d2"."title", $5::text) > 0) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = 1001

-- ## wildcards are plain characters
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (strpos("d2"."url", $5::text) > 0) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "%_\\"  $6 = 1001

-- ## not_prefix
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (starts_with("d2"."url", $5::text)) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1001

-- ## negated and other operators on the same column
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (starts_with("d2"."url", $5::text)) is not true
  and ("t1"."page_id" = (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $6::smallint
      and "e"."text_key" = $7::uuid
      and "e"."url" = $8::text
  )) is not true
  and ("t1"."page_id" = (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $9::smallint
      and "e"."text_key" = $10::uuid
      and "e"."url" = $11::text
  )) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $12;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/1"  $6 = 1  $7 = "8068ee95affd9273f0622bdbb25546b6"
-- $8 = "/"  $9 = 1  $10 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $11 = "/a"  $12 = 1001

-- ## negated operators on a calc of an earlier view
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
where ("s2"."c2" = any($5::bigint[])) is not true
order by "d3"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = [1]  $6 = 1000

-- ## negated operators and groups
select "d4"."country_code" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."country_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and (strpos("d2"."url", $5::text) > 0) is not true
    and ("t1"."country_id" = (
      select "e"."country_id"
      from "analytics"."country" as "e"
      where "e"."text_key" = $6::uuid
        and "e"."country_code" = $7::text
    )) is not true
  group by 1
) as "s3"
left join "analytics"."country" as "d4" on "d4"."country_id" = "s3"."c1"
order by "d4"."country_code" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = "557a432d639f60bf6a7b6c4a42ca0ef0"
-- $7 = "DE"  $8 = 1000
