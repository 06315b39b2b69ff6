-- ## versions created in the period
select "s2"."c1" as "r1", "d3"."url" as "r2", "d4"."device_type" as "r3", "s2"."c2" as "r4",
  to_char("s2"."c3", 'YYYY-MM-DD') as "r5"
from (
  select "t1"."version_id" as "c1", "t1"."version_no" as "c2", "t1"."update_date" as "c3", "t1"."page_id" as "c4",
    "t1"."device_id" as "c5"
  from "analytics"."page_version" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."update_date" >= $2::date
    and "t1"."update_date" < $3::date
  order by "t1"."update_date" asc nulls last, "t1"."version_id" asc nulls last
  limit $4
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."page_id" = "s2"."c4"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s2"."c5"
order by "s2"."c3" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1001  $5 = 1

-- ## a join finds versions from any time
select "t1"."pv_id" as "r1", "s4"."c3" as "r2", "s4"."c4" as "r3"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."update_date" as "c1", "t2"."version_id" as "c2", "t2"."version_no" as "c3", "d3"."device_type" as "c4",
    "t2"."page_id" as "c5"
  from "analytics"."page_version" as "t2"
  left join "analytics"."device" as "d3" on "d3"."device_id" = "t2"."device_id"
  where "t2"."site_id" = $1::smallint
) as "s4" on "t1"."page_id" = "s4"."c5"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and exists (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $5::smallint
      and "e"."text_key" = any($6::uuid[])
      and "e"."url" = any($7::text[])
  )
  and "t1"."page_id" = any(array(
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $8::smallint
      and "e"."text_key" = any($9::uuid[])
      and "e"."url" = any($10::text[])
  ))
  and (
    select "e"."device_id"
    from "analytics"."device" as "e"
    where "e"."device_type" = $11::text
  ) is not null
  and "t1"."device_id" = (
    select "e"."device_id"
    from "analytics"."device" as "e"
    where "e"."device_type" = $12::text
  )
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $13;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1
-- $6 = ["8068ee95affd9273f0622bdbb25546b6","0e17f6e6bd49eea9fdbc2a5a81225a83"]  $7 = ["/","/a"]  $8 = 1
-- $9 = ["8068ee95affd9273f0622bdbb25546b6","0e17f6e6bd49eea9fdbc2a5a81225a83"]  $10 = ["/","/a"]  $11 = "PC"
-- $12 = "PC"  $13 = 1001

-- ## a view of versions includes only those from the period
select "t1"."pv_id" as "r1", "s3"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."update_date" as "c1", "t2"."version_id" as "c2", "t2"."version_no" as "c3", "t2"."page_id" as "c4"
  from "analytics"."page_version" as "t2"
  where "t2"."site_id" = $1::smallint
    and "t2"."update_date" >= $2::date
    and "t2"."update_date" < $3::date
) as "s3" on "t1"."page_id" = "s3"."c4"
where "t1"."site_id" = $4::smallint
  and "t1"."at" >= to_timestamp($5::float8)
  and "t1"."at" < to_timestamp($6::float8)
  and exists (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $7::smallint
      and "e"."text_key" = any($8::uuid[])
      and "e"."url" = any($9::text[])
  )
  and "t1"."page_id" = any(array(
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $10::smallint
      and "e"."text_key" = any($11::uuid[])
      and "e"."url" = any($12::text[])
  ))
  and (
    select "e"."device_id"
    from "analytics"."device" as "e"
    where "e"."device_type" = $13::text
  ) is not null
  and "t1"."device_id" = (
    select "e"."device_id"
    from "analytics"."device" as "e"
    where "e"."device_type" = $14::text
  )
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last
limit $15;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = ["8068ee95affd9273f0622bdbb25546b6","0e17f6e6bd49eea9fdbc2a5a81225a83"]  $9 = ["/","/a"]  $10 = 1
-- $11 = ["8068ee95affd9273f0622bdbb25546b6","0e17f6e6bd49eea9fdbc2a5a81225a83"]  $12 = ["/","/a"]  $13 = "PC"
-- $14 = "PC"  $15 = 1001

-- ## ages and genders in a month
select to_char("t1"."month", 'YYYY-MM-DD') as "r1", to_char("t1"."month", 'YYYY-MM') as "r2",
  "t1"."age" as "r3", ($1::text[])["t1"."age" + 1] as "r4", ($2::text[])["t1"."gender" + 1] as "r5",
  "t1"."sessions" as "r6", "t1"."active_users" as "r7"
from "analytics"."ga4_age_gender" as "t1"
where "t1"."site_id" = $3::smallint
  and "t1"."month" >= $4::date
  and "t1"."month" < $5::date
order by "t1"."month" asc nulls last, "t1"."age" asc nulls last, "t1"."gender" asc nulls last
limit $6;
-- $1 = ["unknown","18-24","25-34","35-44","45-54","55-64","65+"]  $2 = ["unknown","male","female"]  $3 = 1
-- $4 = "2026-05-01"  $5 = "2026-06-01"  $6 = 1001

-- ## a label is ordinary text
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select ($1::text[])["t1"."gender" + 1] as "c1", coalesce(sum("t1"."active_users"), 0) as "c2"
  from "analytics"."ga4_age_gender" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."month" >= $3::date
    and "t1"."month" < $4::date
    and ($5::text[])["t1"."age" + 1] is distinct from $6::text
  group by 1
) as "s2"
order by "s2"."c1" collate "C" asc nulls last
limit $7;
-- $1 = ["unknown","male","female"]  $2 = 1  $3 = "2026-05-01"  $4 = "2026-07-01"
-- $5 = ["unknown","18-24","25-34","35-44","45-54","55-64","65+"]  $6 = "unknown"  $7 = 1000

-- ## a month is in the range if midnight on its first day is
select "t1"."country_code" as "r1"
from "analytics"."ga4_country" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."month" >= $2::date
  and "t1"."month" < $3::date
order by "t1"."month" asc nulls last, "t1"."country_code" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-02"  $3 = "2026-06-01"  $4 = 1001

-- ## countries
select (ascii("t1"."country_code") * 256 + ascii(substr("t1"."country_code", 2, 1))) as "r1",
  "t1"."country_code" as "r2", "t1"."sessions" as "r3"
from "analytics"."ga4_country" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."month" >= $2::date
  and "t1"."month" < $3::date
order by "t1"."month" asc nulls last, "t1"."country_code" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1001

-- ## regions
select "t1"."region" as "r1", "t1"."region_name" as "r2", "t1"."active_users" as "r3"
from "analytics"."ga4_region" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."month" >= $2::date
  and "t1"."month" < $3::date
order by "t1"."month" asc nulls last, "t1"."region" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1001

-- ## landing pages with all views from their visits
select "d10"."url" as "r1", "d11"."device_type" as "r2", "s9"."c1" as "r3", "s9"."c2" as "r4",
  "s9"."c3" as "r5", "s9"."c4" as "r6", "s9"."c5" as "r7", "s9"."c6" as "r8", "s9"."c7" as "r9"
from (
  select "s8"."c3" as "c1", "s8"."c10" as "c2", "s8"."c11" as "c3", "s8"."c12" as "c4", "s8"."c13" as "c5",
    "s8"."c14" as "c6", count(*) over () as "c7", "s8"."c1" as "c8", "s8"."c2" as "c9", "s8"."c4" as "c10",
    "s8"."c5" as "c11", "s8"."c6" as "c12", "s8"."c7"::int as "c13", "s8"."c9" as "c14", "s8"."c1" as "c15",
    "s8"."c2" as "c16"
  from (
    select "t1"."page_id" as "c1", "t1"."device_id" as "c2", "d2"."utm_source" as "c3", "d3"."utm_medium" as "c4",
      "d4"."utm_campaign" as "c5", "d2"."source_domain" as "c6", "t1"."is_newuser"::int as "c7",
      "t1"."site_id" as "c8", "t1"."next_page_id" as "c9", coalesce(sum("s7"."c1"), 0) as "c10",
      count(*) as "c11", count(distinct "t1"."reader_id") as "c12", count(case when "t1"."pv" = $1::bigint and "t1"."is_last"::int = $2::bigint then "t1"."pv_id" end) as "c13",
      coalesce(sum("s7"."c2"), 0) as "c14"
    from "analytics"."page_view" as "t1"
    left join "analytics"."source" as "d2" on "d2"."site_id" = $3::smallint
      and "d2"."source_id" = "t1"."source_id"
    left join "analytics"."medium" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."medium_id" = "t1"."medium_id"
    left join "analytics"."campaign" as "d4" on "d4"."site_id" = $5::smallint
      and "d4"."campaign_id" = "t1"."campaign_id"
    inner join (
      select "s6"."c3" as "c1", "s6"."c4" as "c2", "s6"."c1" as "c3", "s6"."c2" as "c4"
      from (
        select "t5"."session_id" as "c1", "t5"."site_id" as "c2", count(*) as "c3", coalesce(sum("t5"."browse_sec"), 0) as "c4"
        from "analytics"."page_view" as "t5"
        where "t5"."site_id" = $6::smallint
          and "t5"."at" >= to_timestamp($7::float8)
          and "t5"."at" < to_timestamp($8::float8)
        group by 1, 2
      ) as "s6"
    ) as "s7" on "t1"."session_id" = "s7"."c3"
      and "t1"."site_id" = "s7"."c4"
    where "t1"."site_id" = $9::smallint
      and "t1"."at" >= to_timestamp($10::float8)
      and "t1"."at" < to_timestamp($11::float8)
      and "t1"."pv" = $12::bigint
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  ) as "s8"
  order by "s8"."c1" asc nulls last, "s8"."c2" asc nulls last, "s8"."c3" collate "C" asc nulls last,
    "s8"."c4" collate "C" asc nulls last, "s8"."c5" collate "C" asc nulls last, "s8"."c6" collate "C" asc nulls last,
    "s8"."c7"::int asc nulls last, "s8"."c9" asc nulls last
  limit $13
) as "s9"
left join "analytics"."page" as "d10" on "d10"."site_id" = $14::smallint
  and "d10"."page_id" = "s9"."c15"
left join "analytics"."device" as "d11" on "d11"."device_id" = "s9"."c16"
order by "s9"."c8" asc nulls last, "s9"."c9" asc nulls last, "s9"."c1" collate "C" asc nulls last,
  "s9"."c10" collate "C" asc nulls last, "s9"."c11" collate "C" asc nulls last, "s9"."c12" collate "C" asc nulls last,
  "s9"."c13" asc nulls last, "s9"."c14" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1  $10 = 1777561200
-- $11 = 1780239600  $12 = 1  $13 = 1000  $14 = 1

-- ## all pages
select "d3"."url" as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3", "s2"."c4" as "r4", "s2"."c5" as "r5",
  "s2"."c6" as "r6", count(*) over () as "r7"
from (
  select "t1"."page_id" as "c1", count(*) as "c2", count(case when "t1"."is_last"::int = $1::bigint then "t1"."pv_id" end) as "c3",
    coalesce(sum("t1"."browse_sec"), 0) as "c4", count(case when "t1"."pv" = $2::bigint then "t1"."pv_id" end) as "c5",
    count(case when "t1"."pv" = $3::bigint and "t1"."is_last"::int = $4::bigint then "t1"."pv_id" end) as "c6"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $5::smallint
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
  group by 1
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $8::smallint
  and "d3"."page_id" = "s2"."c1"
order by "d3"."url" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1000

-- ## daily totals by device, and by new and returning visitors
select "d8"."device_type" as "r1", "s7"."c1" as "r2", "s7"."c2" as "r3", "s7"."c3" as "r4",
  "s7"."c4" as "r5", "s7"."c5" as "r6", "s7"."c6" as "r7", "s7"."c7" as "r8"
from (
  select "s6"."c6"::int as "c1", "s6"."c8" as "c2", "s6"."c10" as "c3", "s6"."c11" as "c4",
    "s6"."c12" as "c5", "s6"."c9" as "c6", count(*) over () as "c7", "s6"."c1" as "c8", "s6"."c2" as "c9",
    "s6"."c3" as "c10", "s6"."c4" as "c11", "s6"."c5" as "c12", "s6"."c1" as "c13"
  from (
    select "s2"."c1" as "c1", "d3"."utm_source" as "c2", "d4"."utm_medium" as "c3", "d5"."utm_campaign" as "c4",
      "d3"."source_domain" as "c5", "s2"."c2" as "c6", "s2"."c3" as "c7", coalesce(sum("s2"."c10"), 0) as "c8",
      coalesce(sum("s2"."c11"), 0) as "c9", count(distinct "s2"."c4") as "c10", count(distinct "s2"."c5") as "c11",
      count(distinct "s2"."c6") as "c12"
    from (
      select "t1"."device_id" as "c1", "t1"."is_newuser"::int as "c2", "t1"."site_id" as "c3",
        "t1"."session_id" as "c4", "t1"."reader_id" as "c5", case when "t1"."is_newuser"::int = $1::bigint then "t1"."reader_id" end as "c6",
        "t1"."source_id" as "c7", "t1"."medium_id" as "c8", "t1"."campaign_id" as "c9", count(*) as "c10",
        coalesce(sum("t1"."browse_sec"), 0) as "c11"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $5::smallint
      and "d3"."source_id" = "s2"."c7"
    left join "analytics"."medium" as "d4" on "d4"."site_id" = $6::smallint
      and "d4"."medium_id" = "s2"."c8"
    left join "analytics"."campaign" as "d5" on "d5"."site_id" = $7::smallint
      and "d5"."campaign_id" = "s2"."c9"
    group by 1, 2, 3, 4, 5, 6, 7
  ) as "s6"
  where "s6"."c1" = $8::bigint
  order by "s6"."c1" asc nulls last, "s6"."c2" collate "C" asc nulls last, "s6"."c3" collate "C" asc nulls last,
    "s6"."c4" collate "C" asc nulls last, "s6"."c5" collate "C" asc nulls last, "s6"."c6"::int asc nulls last
  limit $9
) as "s7"
left join "analytics"."device" as "d8" on "d8"."device_id" = "s7"."c13"
order by "s7"."c8" asc nulls last, "s7"."c9" collate "C" asc nulls last, "s7"."c10" collate "C" asc nulls last,
  "s7"."c11" collate "C" asc nulls last, "s7"."c12" collate "C" asc nulls last, "s7"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1  $8 = 1  $9 = 1000

-- ## summaries across all sites stay separate
select "d8"."tracking_id" as "r1", "s7"."c1" as "r2", "s7"."c2" as "r3"
from (
  select "s5"."c9" as "c1", count(*) over () as "c2", "s5"."c1" as "c3", "s5"."c2" as "c4",
    "s5"."c3" as "c5", "s5"."c4" as "c6", "s5"."c5" as "c7", "s5"."c6" as "c8", "s5"."c7"::int as "c9",
    "s5"."c8" as "c10"
  from (
    select "t1"."page_id" as "c1", "t1"."device_id" as "c2", "d2"."utm_source" as "c3", "d3"."utm_medium" as "c4",
      "d4"."utm_campaign" as "c5", "d2"."source_domain" as "c6", "t1"."is_newuser"::int as "c7",
      "t1"."site_id" as "c8", count(*) as "c9"
    from "analytics"."page_view" as "t1"
    left join "analytics"."source" as "d2" on "d2"."site_id" = "t1"."site_id"
      and "d2"."source_id" = "t1"."source_id"
    left join "analytics"."medium" as "d3" on "d3"."site_id" = "t1"."site_id"
      and "d3"."medium_id" = "t1"."medium_id"
    left join "analytics"."campaign" as "d4" on "d4"."site_id" = "t1"."site_id"
      and "d4"."campaign_id" = "t1"."campaign_id"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2, 3, 4, 5, 6, 7, 8
  ) as "s5"
  left join "analytics"."page" as "d6" on "d6"."site_id" = "s5"."c8"
    and "d6"."page_id" = "s5"."c1"
  where "d6"."url" = $4::text
  order by "s5"."c1" asc nulls last, "s5"."c2" asc nulls last, "s5"."c3" collate "C" asc nulls last,
    "s5"."c4" collate "C" asc nulls last, "s5"."c5" collate "C" asc nulls last, "s5"."c6" collate "C" asc nulls last,
    "s5"."c7"::int asc nulls last, "s5"."c8" asc nulls last
  limit $5
) as "s7"
left join "analytics"."site" as "d8" on "d8"."site_id" = "s7"."c10"
order by "s7"."c3" asc nulls last, "s7"."c4" asc nulls last, "s7"."c5" collate "C" asc nulls last,
  "s7"."c6" collate "C" asc nulls last, "s7"."c7" collate "C" asc nulls last, "s7"."c8" collate "C" asc nulls last,
  "s7"."c9" asc nulls last, "s7"."c10" asc nulls last;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = "/"  $5 = 1000

-- ## counting the rows of a summary
select "s7"."c1"
from (
  select count(*) as "c1"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "d3"."utm_source" as "c3", "d4"."utm_medium" as "c4",
      "d5"."utm_campaign" as "c5", "d3"."source_domain" as "c6", "s2"."c3" as "c7", "s2"."c4" as "c8"
    from (
      select "t1"."page_id" as "c1", "t1"."device_id" as "c2", "t1"."is_newuser"::int as "c3",
        "t1"."site_id" as "c4", "t1"."source_id" as "c5", "t1"."medium_id" as "c6", "t1"."campaign_id" as "c7"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1, 2, 3, 4, 5, 6, 7
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."source_id" = "s2"."c5"
    left join "analytics"."medium" as "d4" on "d4"."site_id" = $5::smallint
      and "d4"."medium_id" = "s2"."c6"
    left join "analytics"."campaign" as "d5" on "d5"."site_id" = $6::smallint
      and "d5"."campaign_id" = "s2"."c7"
    group by 1, 2, 3, 4, 5, 6, 7, 8
  ) as "s6"
) as "s7";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1
