-- ## How many page views, visits and visitors did we have in May?
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select coalesce(sum("s2"."c3"), 0) as "c1", count(distinct "s2"."c1") as "c2", count(distinct "s2"."c2") as "c3"
  from (
    select "t1"."session_id" as "c1", "t1"."reader_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2
  ) as "s2"
) as "s3"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## Which sources brought the most visits?
select "s5"."c1" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", count("s4"."c2") as "c2"
  from (
    select "d3"."source_domain" as "c1", "s2"."c1" as "c2"
    from (
      select "t1"."session_id" as "c1", "t1"."source_id" as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."pv" = $4::bigint
      group by 1, 2
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $5::smallint
      and "d3"."source_id" = "s2"."c2"
    group by 1, 2
  ) as "s4"
  group by 1
) as "s5"
order by "s5"."c2" desc nulls last, "s5"."c1" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1000

-- ## How many visits came from each medium?
select "d4"."utm_medium" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select "t1"."medium_id" as "c1", "t1"."session_id" as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
left join "analytics"."medium" as "d4" on "d4"."site_id" = $4::smallint
  and "d4"."medium_id" = "s3"."c1"
order by "d4"."utm_medium" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## What share of visits reached goal 1, by landing page?
select "s5"."c1" as "r1", (((100)::numeric * "s5"."c4") * round(1::numeric, 50) / nullif("s5"."c5", 0))::float8::float8 as "r2",
  count(*) over () as "r3"
from (
  select "d4"."url" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c2")::numeric as "c4",
    ("s3"."c3")::numeric as "c5"
  from (
    select "t1"."page_id" as "c1", coalesce(sum(("d2"."session_id" is not null)::int), 0) as "c2",
      count(*) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."goal_no" = $2::smallint
      and "d2"."session_id" = "t1"."session_id"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
      and "t1"."pv" = $6::bigint
    group by 1
  ) as "s3"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $7::smallint
    and "d4"."page_id" = "s3"."c1"
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1  $8 = 1000

-- ## What is the bounce rate by device?
select "s4"."c1" as "r1", (((100)::numeric * "s4"."c4") * round(1::numeric, 50) / nullif("s4"."c5", 0))::float8::float8 as "r2",
  count(*) over () as "r3"
from (
  select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c2")::numeric as "c4",
    ("s2"."c3")::numeric as "c5"
  from (
    select "t1"."device_id" as "c1", coalesce(sum("t1"."is_last"::int), 0) as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."pv" = $4::bigint
    group by 1
  ) as "s2"
  left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c1"
) as "s4"
order by "s4"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## How many visitors are new, and how many return?
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select "t1"."is_newuser"::int as "c1", "t1"."reader_id" as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## Which campaigns led to clicks on Buy?
select "d5"."utm_campaign" as "r1", "s4"."c1" as "r2", "s4"."c2" as "r3"
from (
  (
    select "s3"."c2" as "c1", count(*) over () as "c2", "s3"."c1" as "c3"
    from (
      select "s2"."c1" as "c1", count("s2"."c2") as "c2"
      from (
        select "t1"."campaign_id" as "c1", "t1"."session_id" as "c2"
        from "analytics"."conversion_view" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
          and "t1"."goal_no" = $4::bigint
        group by 1, 2
      ) as "s2"
      group by 1
    ) as "s3"
    order by "s3"."c2" desc nulls last
  ) fetch first ($5::bigint) rows with ties
) as "s4"
left join "analytics"."campaign" as "d5" on "d5"."site_id" = $6::smallint
  and "d5"."campaign_id" = "s4"."c3"
order by "s4"."c1" desc nulls last, "d5"."utm_campaign" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1000  $6 = 1  $7 = 1000

-- ## How many pages does a visit have on average?
select ("s4"."c3" * round(1::numeric, 50) / nullif("s4"."c4", 0))::float8::float8 as "r1", count(*) over () as "r2"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c1")::numeric as "c3", ("s3"."c2")::numeric as "c4"
  from (
    select coalesce(sum("s2"."c2"), 0) as "c1", count("s2"."c1") as "c2"
    from (
      select "t1"."session_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## What is the share of each country in all visits?
select "s12"."c1" as "r1", (((100)::numeric * "s12"."c4") * round(1::numeric, 50) / nullif("s12"."c5", 0))::float8::float8 as "r2",
  count(*) over () as "r3"
from (
  select "d11"."country_code" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", ("s10"."c2")::numeric as "c4",
    ("s10"."c3")::numeric as "c5"
  from (
    select "s3"."c1" as "c1", coalesce(sum("s3"."c3"), 0) as "c2", max("s9"."c1") as "c3"
    from (
      select "s2"."c1" as "c1", "s2"."c2" as "c2", count("s2"."c3") as "c3"
      from (
        select "t1"."country_id" as "c1", "t1"."site_id" as "c2", "t1"."session_id" as "c3"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
        group by 1, 2, 3
      ) as "s2"
      group by 1, 2
    ) as "s3"
    left join "analytics"."site" as "d4" on "d4"."site_id" = "s3"."c2"
    left join (
      select "s7"."c2" as "c1", "d8"."tracking_id" as "c2"
      from (
        select "s6"."c1" as "c1", count("s6"."c2") as "c2"
        from (
          select "t5"."site_id" as "c1", "t5"."session_id" as "c2"
          from "analytics"."page_view" as "t5"
          where "t5"."site_id" = $4::smallint
            and "t5"."at" >= to_timestamp($5::float8)
            and "t5"."at" < to_timestamp($6::float8)
          group by 1, 2
        ) as "s6"
        group by 1
      ) as "s7"
      left join "analytics"."site" as "d8" on "d8"."site_id" = "s7"."c1"
    ) as "s9" on "d4"."tracking_id" = "s9"."c2"
    group by 1
  ) as "s10"
  left join "analytics"."country" as "d11" on "d11"."country_id" = "s10"."c1"
) as "s12"
order by (((100)::numeric * "s12"."c4") * round(1::numeric, 50) / nullif("s12"."c5", 0))::float8 desc nulls last,
  "s12"."c1" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## How many visits came from paid clicks or from mail?
select "s5"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s4"."c1") as "c1"
  from (
    select "t1"."session_id" as "c1"
    from "analytics"."page_view" as "t1"
    left join "analytics"."medium" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."medium_id" = "t1"."medium_id"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $2::smallint
      and "d3"."source_id" = "t1"."source_id"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
      and ("d2"."utm_medium" = $6::text or starts_with("d3"."source_domain", $7::text))
    group by 1
  ) as "s4"
) as "s5"
limit $8;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "cpc"  $7 = "mail."  $8 = 1000

-- ## How do the first and the second half of May compare, by source, with direct visits?
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select "d2"."source_domain" as "c1", count(distinct case when ("t1"."at" at time zone make_interval(secs => $1::float8))::date < $2::date then "t1"."session_id" end) as "c2",
    count(distinct case when ("t1"."at" at time zone make_interval(secs => $3::float8))::date >= $4::date then "t1"."session_id" end) as "c3"
  from "analytics"."page_view" as "t1"
  left join "analytics"."source" as "d2" on "d2"."site_id" = $5::smallint
    and "d2"."source_id" = "t1"."source_id"
  where "t1"."site_id" = $6::smallint
    and "t1"."at" >= to_timestamp($7::float8)
    and "t1"."at" < to_timestamp($8::float8)
  group by 1
) as "s3"
order by "s3"."c1" collate "C" asc nulls last
limit $9;
-- $1 = 32400  $2 = "2026-05-16"  $3 = 32400  $4 = "2026-05-16"  $5 = 1  $6 = 1  $7 = 1777561200
-- $8 = 1780239600  $9 = 1000

-- ## At which hours do visits begin?
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select extract(hour from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
      "t1"."session_id" as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and "t1"."pv" = $5::bigint
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c2" desc nulls last, "s3"."c1" asc nulls last
limit $6;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1000

-- ## How many visitors came more than once?
select "s4"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from (
    select "s2"."c1" as "c1", count("s2"."c2") as "c2"
    from (
      select "t1"."reader_id" as "c1", "t1"."session_id" as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1, 2
    ) as "s2"
    group by 1
  ) as "s3"
  where "s3"."c2" >= $4::bigint
) as "s4"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1000

-- ## What is the most viewed page in each country?
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select "d3"."country_code" as "c1", "d4"."url" as "c2", "s2"."c3" as "c3", (row_number() over (partition by "d3"."country_code" order by "s2"."c3" desc nulls last, "d4"."url" collate "C" asc nulls last) - 1)::int as "c4"
  from (
    select "t1"."country_id" as "c1", "t1"."page_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2
  ) as "s2"
  left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c1"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $4::smallint
    and "d4"."page_id" = "s2"."c2"
) as "s5"
where "s5"."c4" < $5::bigint
order by "s5"."c1" collate "C" asc nulls last, "s5"."c3" desc nulls last, "s5"."c2" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1000

-- ## How many visits did the campaign spring bring, and how many of them reached goal 1?
select "s3"."c1" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select count(*) as "c1", coalesce(sum(("d2"."session_id" is not null)::int), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."goal_no" = $2::smallint
    and "d2"."session_id" = "t1"."session_id"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
    and "t1"."pv" = $6::bigint
    and (
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."utm_campaign" = $9::text
    ) is not null
    and "t1"."campaign_id" = (
      select "e"."campaign_id"
      from "analytics"."campaign" as "e"
      where "e"."site_id" = $10::smallint
        and "e"."text_key" = $11::uuid
        and "e"."utm_campaign" = $12::text
    )
) as "s3"
limit $13;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1
-- $8 = "d64d62a0c02f1d5cef5cba62bdb0ddcb"  $9 = "spring"  $10 = 1  $11 = "d64d62a0c02f1d5cef5cba62bdb0ddcb"
-- $12 = "spring"  $13 = 1000
