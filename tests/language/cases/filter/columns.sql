-- ## numbers in two columns
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" > "t1"."reader_id"
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## numbers of different types
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int = "t1"."pv"
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## a row in which either value is null never matches, not even with neq
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."utm_source" collate "C" <> "d2"."source_domain" collate "C"
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## text is compared bytewise
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
left join "analytics"."os" as "d3" on "d3"."os_id" = "t1"."os_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."title" collate "C" > "d3"."os" collate "C"
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## a column and a value in the same filter
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" >= $4::bigint
  and "t1"."browse_sec" < "t1"."speed_msec"
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 5  $5 = 1001

-- ## a comparison of columns inside any
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
  and "d3"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and ("t1"."is_last"::int = "t1"."pv" and "d2"."country_code" = $5::text or "d3"."url" = $6::text)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "JP"  $6 = "/"  $7 = 1001

-- ## a comparison of calcs from an earlier view
select "s4"."c1" as "r1", "s4"."c5"::float8 as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 50) / "s3"."c6")::float8 as "c5"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", ("s2"."c3")::numeric as "c5",
      nullif(("s2"."c4")::numeric, 0) as "c6"
    from (
      select "t1"."session_id" as "c1", count(*) as "c2", coalesce(sum("t1"."pv"), 0) as "c3",
        count(*) as "c4"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
  ) as "s3"
) as "s4"
where ("s4"."c2")::float8 > ("s4"."c5")::float8
order by "s4"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## datetimes in two columns
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" <= "t1"."at"
  and ("t1"."at" at time zone make_interval(secs => $4::float8))::date >= date_trunc('week', ("t1"."at" at time zone make_interval(secs => $5::float8))::timestamp)::date
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = 32400  $6 = 1001

-- ## a calc that is an id is comparable only with ids of the same kind
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select "t1"."session_id" as "c1", min("t1"."pv_id") as "c2", max("t1"."pv_id") as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
where "s2"."c2" < "s2"."c3"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
