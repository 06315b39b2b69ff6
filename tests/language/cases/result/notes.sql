-- ## a path or a host as a URL
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and starts_with("d2"."url", $5::text)
    and ("t1"."prev_page_id" = any(array(
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = any($7::uuid[])
        and "e"."url" = any($8::text[])
    ))) is not true
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $9::smallint
        and "e"."text_key" = $10::uuid
        and "e"."url" = $11::text
    ) is not null
    and "t1"."next_page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $12::smallint
        and "e"."text_key" = $13::uuid
        and "e"."url" = $14::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $15
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/none/"  $6 = 1
-- $7 = ["8e07a0bcd2221af2cefc0dbde09b16cf","45a3ca485d2bf7ff4831b3821fad0c28"]
-- $8 = ["/x","https://shop.example/"]  $9 = 1  $10 = "ff9a13adaf835850a92381dc9ce993c6"  $11 = "shop.example/a"
-- $12 = 1  $13 = "ff9a13adaf835850a92381dc9ce993c6"  $14 = "shop.example/a"  $15 = 1001

-- ## the beginning of a URL, and the word none
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and starts_with("d2"."url", $5::text)
    and ("t1"."prev_page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = $7::uuid
        and "e"."url" = $8::text
    )) is not true
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $9
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "http"  $6 = 1
-- $7 = "5acef923ee71bc5e25db9887343298cd"  $8 = "none"  $9 = 1001

-- ## part of a URL
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and strpos("d2"."url", $5::text) > 0
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = $7::uuid
        and "e"."url" = $8::text
    ) is not null
    and "t1"."next_page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $9::smallint
        and "e"."text_key" = $10::uuid
        and "e"."url" = $11::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $12
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1  $7 = "bfb77709338a1469bd1ac4fddc207875"
-- $8 = "https://shop.example/a"  $9 = 1  $10 = "bfb77709338a1469bd1ac4fddc207875"
-- $11 = "https://shop.example/a"  $12 = 1001

-- ## a country in lower case, and as a word
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("d2"."country_code" = any($4::text[]))
  and ("t1"."country_id" = (
    select "e"."country_id"
    from "analytics"."country" as "e"
    where "e"."text_key" = $5::uuid
      and "e"."country_code" = $6::text
  )) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = ["US","Japan"]  $5 = "60f79d3fab027395015e78247949b104"
-- $6 = "jp"  $7 = 1001

-- ## strings for a missing value
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."source_id" = "t1"."source_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and "d2"."source_domain" = $5::text
    and ("t1"."medium_id" = (
      select "e"."medium_id"
      from "analytics"."medium" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = $7::uuid
        and "e"."utm_medium" = $8::text
    )) is not true
    and exists (
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $9::smallint
        and "e"."text_key" = any($10::uuid[])
        and "e"."utm_campaign" = any($11::text[])
    )
    and "t1"."campaign_id" = any(array(
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $12::smallint
        and "e"."text_key" = any($13::uuid[])
        and "e"."utm_campaign" = any($14::text[])
    ))
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $15
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "(direct)"  $6 = 1
-- $7 = "53b41ab0dae62befcb8708620b6d1479"  $8 = "null"  $9 = 1
-- $10 = ["055539df4a0b804c58caf46c0cd2941a","d64d62a0c02f1d5cef5cba62bdb0ddcb"]  $11 = ["","spring"]  $12 = 1
-- $13 = ["055539df4a0b804c58caf46c0cd2941a","d64d62a0c02f1d5cef5cba62bdb0ddcb"]  $14 = ["","spring"]
-- $15 = 1001

-- ## a week that does not begin on a Monday
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and date_trunc('week', ("t1"."at" at time zone make_interval(secs => $4::float8))::timestamp)::date = any($5::date[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = ["2026-04-27","2026-05-01"]  $6 = 1001

-- ## days as the bounds of a range of weeks
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and date_trunc('week', ("t1"."at" at time zone make_interval(secs => $4::float8))::timestamp)::date >= $5::date
  and date_trunc('week', ("t1"."at" at time zone make_interval(secs => $6::float8))::timestamp)::date < $7::date
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = "2026-04-01"  $6 = 32400  $7 = "2026-05-03"
-- $8 = 1001

-- ## months in a different format
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') collate "C" >= $5::text
  and to_char(("t1"."at" at time zone make_interval(secs => $6::float8)), 'YYYY-MM') is distinct from $7::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = "2026-4"  $6 = 32400  $7 = "May"  $8 = 1001

-- ## a year in a range of months
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') collate "C" >= $5::text
  and to_char(("t1"."at" at time zone make_interval(secs => $6::float8)), 'YYYY-MM') collate "C" < $7::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = "2026"  $6 = 32400  $7 = "2027"  $8 = 1001

-- ## a range whose first bound is the higher one
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" between $4::bigint
  and $5::bigint
  and ("t1"."at" between to_timestamp($6::float8) and to_timestamp($7::float8))
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 5  $5 = 2  $6 = 1778252400  $7 = 1777561200  $8 = 1001

-- ## a range up to a local time that the clock skips
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" between to_timestamp($4::float8)
  and to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1772319600  $3 = 1780264800  $4 = 1774746000  $5 = 1774747800  $6 = 1001

-- ## a range from a local time that the clock skips
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" between to_timestamp($4::float8)
  and to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1772319600  $3 = 1780264800  $4 = 1774747800  $5 = 1774746000  $6 = 1001

-- ## a range of strings in byte order
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."url_path" collate "C" between $5::text
  and $6::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/！"  $6 = "/🙂"  $7 = 1001

-- ## numbers that a column never has
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and extract(hour from ("t1"."at" at time zone make_interval(secs => $4::float8)))::int is distinct from $5::bigint
  and (extract(isodow from ("t1"."at" at time zone make_interval(secs => $6::float8)))::int = any($7::bigint[])) is not true
  and "t1"."pv" = any($8::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = 24  $6 = 32400  $7 = [0,6]  $8 = [1,0]  $9 = 1001

-- ## a number that is in a column only because of fill
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "t2"."pv" as "c3"
  from "analytics"."page_view" as "t2"
  where "t2"."site_id" = $1::smallint
    and "t2"."at" >= to_timestamp($2::float8)
    and "t2"."at" < to_timestamp($3::float8)
    and "t2"."pv_id" = any($4::bigint[])
) as "s3" on "t1"."pv_id" = "s3"."c2"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and case when "s3"."c2" is null then $8::bigint else "s3"."c3" end = $9::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,2]  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 0
-- $9 = 0  $10 = 1001

-- ## a number that is in a column only because of the key of the other side
select "s6"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from (
    select "t1"."pv" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."pv" = $4::bigint
  ) as "s2" full
  join (
    select "s4"."c2" as "c1"
    from (
      select "t3"."page_id" as "c1", coalesce(sum("t3"."scroll_back_count"), 0) as "c2"
      from "analytics"."page_view" as "t3"
      where "t3"."site_id" = $5::smallint
        and "t3"."at" >= to_timestamp($6::float8)
        and "t3"."at" < to_timestamp($7::float8)
      group by 1
    ) as "s4"
  ) as "s5" on "s2"."c1" = "s5"."c1"
  where coalesce("s2"."c1", "s5"."c1") = $8::bigint
) as "s6"
limit $9;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 0  $9 = 1000

-- ## an operator in a list
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."utm_source" = any($5::text[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ["!=","google"]  $6 = 1001

-- ## countries and languages that are also words for operators
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
left join "analytics"."language" as "d3" on "d3"."language_id" = "t1"."language_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("d2"."country_code" = any($4::text[]) or "d3"."language" = any($5::text[]))
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = ["NE","GT","LT"]  $5 = ["ne","de"]  $6 = 1001

-- ## a fraction instead of a percentage
select "s4"."c3"::float8 as "r1", "s4"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 35) / "s3"."c4")::float8 as "c3",
    ("s3"."c5" * round(1::numeric, 35) / "s3"."c6")::float8 as "c4"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", ("s2"."c1")::numeric as "c3", nullif((10000)::numeric, 0) as "c4",
      ("s2"."c2")::numeric as "c5", nullif((100)::numeric, 0) as "c6"
    from (
      select (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 95) / 10000) + 1])::numeric * (10000 - (((count("t1"."browse_sec") - 1) * 95) % 10000)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 95) / 10000) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 95) % 10000)) as "c1",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 1) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 1) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 1) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 1) % 100)) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a mean of ratios
select "s4"."c6"::float8 as "r1", "s4"."c7"::float8 as "r2", "s4"."c1"::float8 as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", "s3"."c5" as "c5",
    ("s3"."c6" * round(1::numeric, 53) / "s3"."c7")::float8 as "c6", ("s3"."c8" * round(1::numeric, 55) / "s3"."c9")::float8 as "c7"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", "s2"."c5" as "c5",
      ("s2"."c2")::numeric as "c6", (nullif(("s2"."c3")::numeric, 0) * 100) as "c7", ((100)::numeric * ("s2"."c4")::numeric) as "c8",
      (nullif(("s2"."c5")::numeric, 0) * 10000) as "c9"
    from (
      select max((("t1"."position_x100")::float8 / 100)) as "c1", coalesce(sum(("t1"."position_x100")), 0) as "c2",
        count(*) as "c3", coalesce(sum(coalesce(round("t1"."clicks"::numeric * 10000 / nullif("t1"."impressions", 0)), 0)::bigint), 0) as "c4",
        count(*) as "c5"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## a filled value is counted
select "s5"."c1" as "r1", "s5"."c3" as "r2", "s5"."c2" as "r3", count(*) over () as "r4"
from (
  select coalesce(sum("s4"."c2"), 0) as "c1", coalesce(sum("s4"."c3"), 0) as "c2", count("s4"."c1") as "c3"
  from (
    select "t1"."pv_id" as "c1", count(case when "s3"."c1" is null then $1::bigint else "s3"."c1" end) as "c2",
      coalesce(sum(case when "s3"."c1" is null then $2::bigint else "s3"."c2" end), 0) as "c3"
    from "analytics"."page_view" as "t1"
    left join (
      select "t2"."pv_id" as "c1", "t2"."event_sec" as "c2"
      from "analytics"."click" as "t2"
      where "t2"."site_id" = $3::smallint
        and "t2"."at" >= to_timestamp($4::float8)
        and "t2"."at" < to_timestamp($5::float8)
    ) as "s3" on "t1"."pv_id" = "s3"."c1"
    where "t1"."site_id" = $6::smallint
      and "t1"."at" >= to_timestamp($7::float8)
      and "t1"."at" < to_timestamp($8::float8)
    group by 1
  ) as "s4"
) as "s5"
limit $9;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1000

-- ## if rows without a match are dropped, fill is not counted
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."view_at" >= to_timestamp($4::float8)
    and "t1"."view_at" < to_timestamp($5::float8)
) as "s2"
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## a material without rows for the site
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", count(*) over () as "r2"
from (
  select "t1"."day" as "c1"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 3  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## at most five notes
select "s3"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."source_id" = "t1"."source_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and "d2"."utm_source" = $5::text
    and "d2"."utm_term" = $6::text
    and "d2"."referrer" = $7::text
    and (
      select "e"."medium_id"
      from "analytics"."medium" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."utm_medium" = $10::text
    ) is not null
    and "t1"."medium_id" = (
      select "e"."medium_id"
      from "analytics"."medium" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."utm_medium" = $13::text
    )
    and (
      select "e"."content_id"
      from "analytics"."content" as "e"
      where "e"."site_id" = $14::smallint
        and "e"."text_key" = $15::uuid
        and "e"."utm_content" = $16::text
    ) is not null
    and "t1"."content_id" = (
      select "e"."content_id"
      from "analytics"."content" as "e"
      where "e"."site_id" = $17::smallint
        and "e"."text_key" = $18::uuid
        and "e"."utm_content" = $19::text
    )
    and (
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $20::smallint
        and "e"."text_key" = $21::uuid
        and "e"."utm_campaign" = $22::text
    ) is not null
    and "t1"."campaign_id" = (
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $23::smallint
        and "e"."text_key" = $24::uuid
        and "e"."utm_campaign" = $25::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $26
) as "s3"
order by "s3"."c2" asc nulls last, "s3"."c1" asc nulls last;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "none"  $6 = "none"  $7 = "none"  $8 = 1
-- $9 = "5acef923ee71bc5e25db9887343298cd"  $10 = "none"  $11 = 1  $12 = "5acef923ee71bc5e25db9887343298cd"
-- $13 = "none"  $14 = 1  $15 = "5acef923ee71bc5e25db9887343298cd"  $16 = "none"  $17 = 1
-- $18 = "5acef923ee71bc5e25db9887343298cd"  $19 = "none"  $20 = 1  $21 = "5acef923ee71bc5e25db9887343298cd"
-- $22 = "none"  $23 = 1  $24 = "5acef923ee71bc5e25db9887343298cd"  $25 = "none"  $26 = 1001

-- ## event parameters and calcs may have any value
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select ("t1"."params" ->> $1::text) as "c1", max(to_char(("t1"."at" at time zone make_interval(secs => $2::float8)), 'YYYY-MM') collate "C") as "c2",
    min(("t1"."at" at time zone make_interval(secs => $3::float8))::date) as "c3"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."event_name" = $9::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $10::smallint
        and "e"."text_key" = $11::uuid
        and "e"."event_name" = $12::text
    )
  group by 1
) as "s2"
where "s2"."c1" is not null
  and "s2"."c2" is distinct from $13::text
  and "s2"."c3" is distinct from $14::date
order by "s2"."c1" collate "C" asc nulls last
limit $15;
-- $1 = "currency"  $2 = 32400  $3 = 32400  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = 1  $11 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $12 = "purchase"  $13 = "May"  $14 = "2026-05-01"  $15 = 1000

-- ## flags that no page on the site has are each reported once per view
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select (("d4"."page_type" >> 12) & 1) as "c1", coalesce(sum("s3"."c2"), 0) as "c2", coalesce(sum("s3"."c3"), 0) as "c3"
  from (
    select "t1"."page_id" as "c1", coalesce(sum((("d2"."page_type" >> 9) & 1)), 0) as "c2",
      coalesce(sum((("d2"."page_type" >> 7) & 1)), 0) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."page_id" = "t1"."page_id"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and (("d2"."page_type" >> 9) & 1) = $5::bigint
      and ((("d2"."page_type" >> 9) & 1) = $6::bigint or (("d2"."page_type" >> 6) & 1) = $7::bigint or "t1"."pv" = $8::bigint)
    group by 1
  ) as "s3"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $9::smallint
    and "d4"."page_id" = "s3"."c1"
  group by 1
) as "s5"
order by "s5"."c1" asc nulls last
limit $10;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 0  $6 = 1  $7 = 1  $8 = 1  $9 = 1  $10 = 1000

-- ## flags that no page on the site has, in calcs with a filter
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select count(case when (("d2"."page_type" >> 9) & 1) = $1::bigint then "t1"."pv_id" end) as "c1",
    coalesce(sum(case when "d3"."device_type" = $2::text then (("d2"."page_type" >> 7) & 1) end), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $3::smallint
    and "d2"."page_id" = "t1"."page_id"
  left join "analytics"."device" as "d3" on "d3"."device_id" = "t1"."device_id"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
) as "s4"
limit $7;
-- $1 = 1  $2 = "PC"  $3 = 1  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## a flag that no page on the site has, as the other column in a comparison
select "s3"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and "t1"."is_newuser"::int = (("d2"."page_type" >> 9) & 1)
) as "s3"
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## a calc with the name of a page flag
select "d3"."device_type" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."device_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c1"
where "s2"."c2" > $4::bigint
order by "d3"."device_type" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1000
