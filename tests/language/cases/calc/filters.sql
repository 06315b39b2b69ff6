-- ## counts with and without a filter, by device
select "d3"."device_type" as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3", count(*) over () as "r4"
from (
  select "t1"."device_id" as "c1", count(*) as "c2", count(case when "t1"."pv" = $1::bigint then "t1"."pv_id" end) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s2"
left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c1"
order by "d3"."device_type" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## every function reads only the rows that pass
select "s6"."c1" as "r1", "s6"."c2" as "r2", "s6"."c3" as "r3", "s6"."c9"::float8 as "r4", "s6"."c4" as "r5",
  to_char(("s6"."c5" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r6",
  "s6"."c10"::float8 as "r7", count(*) over () as "r8"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", "s5"."c4" as "c4", "s5"."c5" as "c5",
    "s5"."c6" as "c6", "s5"."c7" as "c7", "s5"."c8" as "c8", ("s5"."c9" * round(1::numeric, 50) / "s5"."c10")::float8 as "c9",
    ("s5"."c11" * round(1::numeric, 35) / "s5"."c12")::float8 as "c10"
  from (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", "s4"."c5" as "c5",
      "s4"."c6" as "c6", "s4"."c7" as "c7", "s4"."c8" as "c8", ("s4"."c6")::numeric as "c9",
      nullif(("s4"."c7")::numeric, 0) as "c10", ("s4"."c8")::numeric as "c11", nullif((100)::numeric, 0) as "c12"
    from (
      select count(case when "d2"."country_code" = $2::text then "t1"."browse_sec" end) as "c1",
        count(distinct case when "d2"."country_code" = $3::text then "t1"."reader_id" end) as "c2",
        coalesce(sum(case when "d2"."country_code" = $4::text then "t1"."browse_sec" end), 0) as "c3",
        min(case when "d2"."country_code" = $5::text then "d3"."url" end collate "C") as "c4",
        max(case when "d2"."country_code" = $6::text then "t1"."at" end) as "c5", coalesce(sum(case when "d2"."country_code" = $7::text then "t1"."browse_sec" end), 0) as "c6",
        count(case when "d2"."country_code" = $8::text then "t1"."browse_sec" end) as "c7",
        (((array_agg(case when "d2"."country_code" = $9::text then "t1"."browse_sec" end order by case when "d2"."country_code" = $10::text then "t1"."browse_sec" end) filter (where case when "d2"."country_code" = $11::text then "t1"."browse_sec" end is not null))[(((count(case when "d2"."country_code" = $12::text then "t1"."browse_sec" end) - 1) * 50) / 100) + 1])::numeric * (100 - (((count(case when "d2"."country_code" = $13::text then "t1"."browse_sec" end) - 1) * 50) % 100)) + ((array_agg(case when "d2"."country_code" = $14::text then "t1"."browse_sec" end order by case when "d2"."country_code" = $15::text then "t1"."browse_sec" end) filter (where case when "d2"."country_code" = $16::text then "t1"."browse_sec" end is not null))[least((((count(case when "d2"."country_code" = $17::text then "t1"."browse_sec" end) - 1) * 50) / 100) + 2, count(case when "d2"."country_code" = $18::text then "t1"."browse_sec" end))])::numeric * (((count(case when "d2"."country_code" = $19::text then "t1"."browse_sec" end) - 1) * 50) % 100)) as "c8"
      from "analytics"."page_view" as "t1"
      left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
      left join "analytics"."page" as "d3" on "d3"."site_id" = $20::smallint
        and "d3"."page_id" = "t1"."page_id"
      where "t1"."site_id" = $21::smallint
        and "t1"."at" >= to_timestamp($22::float8)
        and "t1"."at" < to_timestamp($23::float8)
    ) as "s4"
  ) as "s5"
) as "s6"
limit $24;
-- $1 = 32400  $2 = "US"  $3 = "US"  $4 = "US"  $5 = "US"  $6 = "US"  $7 = "US"  $8 = "US"  $9 = "US"
-- $10 = "US"  $11 = "US"  $12 = "US"  $13 = "US"  $14 = "US"  $15 = "US"  $16 = "US"  $17 = "US"  $18 = "US"
-- $19 = "US"  $20 = 1  $21 = 1  $22 = 1777561200  $23 = 1780239600  $24 = 1000

-- ## no row passes
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c5"::float8 as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 50) / "s3"."c6")::float8 as "c5"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", ("s2"."c3")::numeric as "c5",
      nullif(("s2"."c4")::numeric, 0) as "c6"
    from (
      select count(case when "t1"."pv" = $1::bigint then "t1"."pv_id" end) as "c1", coalesce(sum(case when "t1"."pv" = $2::bigint then "t1"."browse_sec" end), 0) as "c2",
        coalesce(sum(case when "t1"."pv" = $3::bigint then "t1"."browse_sec" end), 0) as "c3",
        count(case when "t1"."pv" = $4::bigint then "t1"."browse_sec" end) as "c4"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $5::smallint
        and "t1"."at" >= to_timestamp($6::float8)
        and "t1"."at" < to_timestamp($7::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $8;
-- $1 = 99  $2 = 99  $3 = 99  $4 = 99  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1000

-- ## an empty filter has no effect
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a calc filter in a view that also has a filter
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when "d2"."url" = $1::text then "t1"."pv_id" end) as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $2::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
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
) as "s3"
limit $10;
-- $1 = "/a"  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "8189a539ef2656e82354ccbc2c3d720b"
-- $7 = "US"  $8 = "8189a539ef2656e82354ccbc2c3d720b"  $9 = "US"  $10 = 1000

-- ## the filter applies to each call in an expression
select "s5"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 50) / "s4"."c4")::float8 as "c3"
  from (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c1")::numeric as "c3", nullif(("s3"."c2")::numeric, 0) as "c4"
    from (
      select coalesce(sum(case when "d2"."country_code" = $1::text then "t1"."browse_sec" end), 0) as "c1",
        count(case when "d2"."country_code" = $2::text then "t1"."pv_id" end) as "c2"
      from "analytics"."page_view" as "t1"
      left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
    ) as "s3"
  ) as "s4"
) as "s5"
limit $6;
-- $1 = "JP"  $2 = "JP"  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## all forms of a filter
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when (right("d2"."url", length($1::text)) = $2::text or ("d2"."title" is not null) is not true) and "t1"."browse_sec" <= "t1"."speed_msec" then "t1"."pv_id" end) as "c1",
    count(case when (right("d2"."url", length($3::text)) = $4::text or ("d2"."title" is not null) is not true) then "t1"."pv_id" end) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $5::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $6::smallint
    and "t1"."at" >= to_timestamp($7::float8)
    and "t1"."at" < to_timestamp($8::float8)
) as "s3"
limit $9;
-- $1 = "a"  $2 = "a"  $3 = "a"  $4 = "a"  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1000

-- ## a filter on columns that are also group keys
select "d4"."country_code" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."country_id" as "c1", count(case when "d2"."country_code" = any($1::text[]) then "t1"."pv_id" end) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s3"
left join "analytics"."country" as "d4" on "d4"."country_id" = "s3"."c1"
order by "d4"."country_code" collate "C" asc nulls last
limit $5;
-- $1 = ["JP"]  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## two calcs with the same expression but different filters
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when "t1"."pv" = $1::bigint then "t1"."pv_id" end) as "c1", count(case when "t1"."pv" = $2::bigint then "t1"."pv_id" end) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
) as "s2"
limit $6;
-- $1 = 1  $2 = 2  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## a filter on the output of an earlier view
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when "s2"."c2" >= $1::bigint then "d3"."url" end) as "c1", coalesce(sum(case when starts_with("d3"."url", $2::text) then "s2"."c2" end), 0) as "c2"
  from (
    select "t1"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
    and "d3"."page_id" = "s2"."c1"
) as "s4"
limit $7;
-- $1 = 2  $2 = "/a"  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1000

-- ## a filter on the joined side
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", "s5"."c4" as "r4", "s5"."c5" as "r5",
  count(*) over () as "r6"
from (
  select "t1"."pv_id" as "c1", count("s4"."c1") as "c2", count("s4"."c2") as "c3", count("s4"."c3") as "c4",
    count(case when "t1"."pv" = $1::bigint then "t1"."pv_id" end) as "c5"
  from "analytics"."page_view" as "t1"
  left join (
    select "t2"."pv_id" as "c1", case when "d3"."selector" = $2::text then "t2"."pv_id" end as "c2",
      case when "d3"."selector" is distinct from $3::text then "t2"."pv_id" end as "c3"
    from "analytics"."click" as "t2"
    left join "analytics"."selector" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."selector_id" = "t2"."selector_id"
    where "t2"."site_id" = $5::smallint
      and "t2"."at" >= to_timestamp($6::float8)
      and "t2"."at" < to_timestamp($7::float8)
  ) as "s4" on "t1"."pv_id" = "s4"."c1"
  where "t1"."site_id" = $8::smallint
    and "t1"."at" >= to_timestamp($9::float8)
    and "t1"."at" < to_timestamp($10::float8)
  group by 1
) as "s5"
order by "s5"."c1" asc nulls last
limit $11;
-- $1 = 1  $2 = "#buy"  $3 = "#buy"  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 1000

-- ## a row without a match passes no filter, regardless of the fill
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select coalesce(sum(case when "s3"."c1" is null then $1::bigint else "s3"."c1" end), 0) as "c1",
    coalesce(sum("s3"."c2"), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join (
    select "t2"."pv_id" as "c1", case when "t2"."pv_id" is distinct from $2::bigint then "t2"."pv_id" end as "c2"
    from "analytics"."click" as "t2"
    where "t2"."site_id" = $3::smallint
      and "t2"."at" >= to_timestamp($4::float8)
      and "t2"."at" < to_timestamp($5::float8)
  ) as "s3" on "t1"."pv_id" = "s3"."c1"
  where "t1"."site_id" = $6::smallint
    and "t1"."at" >= to_timestamp($7::float8)
    and "t1"."at" < to_timestamp($8::float8)
    and "t1"."pv_id" = $9::bigint
) as "s4"
limit $10;
-- $1 = 7  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 5
-- $10 = 1000

-- ## under all, equal ids from different sites are distinct
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(distinct ("t1"."site_id", case when "d2"."url" = $1::text then "t1"."pv_id" end)) filter (where case when "d2"."url" = $2::text then "t1"."pv_id" end is not null) as "c1",
    count(distinct ("t1"."site_id", case when "t1"."pv_id" = $3::bigint then "t1"."session_id" end)) filter (where case when "t1"."pv_id" = $4::bigint then "t1"."session_id" end is not null) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = "t1"."site_id"
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = any($5::smallint[])
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
) as "s3"
limit $8;
-- $1 = "/"  $2 = "/"  $3 = 1  $4 = 1  $5 = [1,2,3]  $6 = 1777561200  $7 = 1780239600  $8 = 1000
