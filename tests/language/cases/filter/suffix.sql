-- ## suffix
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."url", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = "a"  $7 = 1001

-- ## suffix is case-sensitive
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."title", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "ME"  $6 = "ME"  $7 = 1001

-- ## every string ends with the empty string
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."title", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ""  $6 = ""  $7 = 1001

-- ## the whole string is its own suffix
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."url", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/b"  $6 = "/b"  $7 = 1001

-- ## a suffix longer than the string
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."url", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "xx/b"  $6 = "xx/b"  $7 = 1001

-- ## wildcards are plain characters at the end
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."url", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "%_\\"  $6 = "%_\\"  $7 = 1001

-- ## an emoji at the end
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."url", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "🙂"  $6 = "🙂"  $7 = 1001

-- ## suffix on the text of a dimension
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and right("d2"."utm_source", length($5::text)) = $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "oogle"  $6 = "oogle"  $7 = 1001

-- ## not_suffix is true for null
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (right("d2"."title", length($5::text)) = $6::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "A"  $6 = "A"  $7 = 1001

-- ## not_suffix with the empty string finds rows without a value
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (right("d2"."title", length($5::text)) = $6::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ""  $6 = ""  $7 = 1001

-- ## suffix and other operators on the same column
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and starts_with("d2"."url", $5::text)
  and right("d2"."url", length($6::text)) = $7::text
  and ("t1"."page_id" = (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $8::smallint
      and "e"."text_key" = $9::uuid
      and "e"."url" = $10::text
  )) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/"  $6 = "a"  $7 = "a"  $8 = 1
-- $9 = "8068ee95affd9273f0622bdbb25546b6"  $10 = "/"  $11 = 1001

-- ## suffix in any
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and (right("d2"."url", length($5::text)) = $6::text or right("d2"."title", length($7::text)) = $8::text)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "b"  $6 = "b"  $7 = "me"  $8 = "me"  $9 = 1001

-- ## suffix and groups
select "d4"."country_code" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."country_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and right("d2"."url", length($5::text)) = $6::text
  group by 1
) as "s3"
left join "analytics"."country" as "d4" on "d4"."country_id" = "s3"."c1"
order by "d4"."country_code" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = "a"  $7 = 1000

-- ## suffix on a column of an earlier view
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
where (right("d3"."url", length($5::text)) = $6::text) is not true
order by "d3"."url" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "/"  $6 = "/"  $7 = 1000
