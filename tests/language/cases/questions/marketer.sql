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
select "s6"."c1" as "r1", "s6"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", ("s5"."c4" * round(1::numeric, 50) / "s5"."c5")::float8 as "c4"
  from (
    select "d4"."url" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ((100)::numeric * ("s3"."c2")::numeric) as "c4",
      nullif(("s3"."c3")::numeric, 0) as "c5"
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
) as "s6"
order by "s6"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1  $8 = 1000

-- ## What is the bounce rate by device?
select "s5"."c1" as "r1", "s5"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ("s4"."c4" * round(1::numeric, 50) / "s4"."c5")::float8 as "c4"
  from (
    select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ((100)::numeric * ("s2"."c2")::numeric) as "c4",
      nullif(("s2"."c3")::numeric, 0) as "c5"
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
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
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
select "s5"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 50) / "s4"."c4")::float8 as "c3"
  from (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c1")::numeric as "c3", nullif(("s3"."c2")::numeric, 0) as "c4"
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
) as "s5"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## What share of all visits does each country have?
select "s13"."c1" as "r1", "s13"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s12"."c1" as "c1", "s12"."c2" as "c2", "s12"."c3" as "c3", ("s12"."c4" * round(1::numeric, 50) / "s12"."c5")::float8 as "c4"
  from (
    select "d11"."country_code" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", ((100)::numeric * ("s10"."c2")::numeric) as "c4",
      nullif(("s10"."c3")::numeric, 0) as "c5"
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
) as "s13"
order by "s13"."c4" desc nulls last, "s13"."c1" collate "C" asc nulls last
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

-- ## How do the first and the second half of May compare, by source and including direct visits?
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

-- ## At what hours do visits begin?
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

-- ## How many visits did the spring campaign bring, and how many of them reached goal 1?
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

-- ## Which five campaigns brought the most visits?
select "d6"."utm_campaign" as "r1", "s5"."c1" as "r2"
from (
  (
    select "s4"."c2" as "c1", "s4"."c1" as "c2"
    from (
      select "s3"."c1" as "c1", count("s3"."c2") as "c2"
      from (
        select "t1"."campaign_id" as "c1", "t1"."session_id" as "c2"
        from "analytics"."page_view" as "t1"
        left join "analytics"."campaign" as "d2" on "d2"."site_id" = $1::smallint
          and "d2"."campaign_id" = "t1"."campaign_id"
        where "t1"."site_id" = $2::smallint
          and "t1"."at" >= to_timestamp($3::float8)
          and "t1"."at" < to_timestamp($4::float8)
          and "d2"."utm_campaign" is not null
        group by 1, 2
      ) as "s3"
      group by 1
    ) as "s4"
    order by "s4"."c2" desc nulls last
  ) fetch first ($5::bigint) rows with ties
) as "s5"
left join "analytics"."campaign" as "d6" on "d6"."site_id" = $6::smallint
  and "d6"."campaign_id" = "s5"."c2"
order by "s5"."c1" desc nulls last, "d6"."utm_campaign" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 5  $6 = 1  $7 = 5

-- ## How many visits from each source, including direct ones, began before and after May 16?
select "s13"."c1" as "r1", "s13"."c2" as "r2", "s13"."c3" as "r3", count(*) over () as "r4"
from (
  select coalesce("s6"."c1", "s12"."c1") as "c1", coalesce(sum(case when "s6"."c3" is not null then "s6"."c2" else $1::bigint end), 0) as "c2",
    coalesce(sum(case when "s12"."c3" is not null then "s12"."c2" else $2::bigint end), 0) as "c3"
  from (
    select "s5"."c1" as "c1", "s5"."c2" as "c2", $3::int as "c3", case when "s5"."c1" is not null then "s5"."c1" else $4::text end as "c4",
      ("s5"."c1" is not null)::int as "c5"
    from (
      select "s4"."c1" as "c1", count("s4"."c2") as "c2"
      from (
        select "d3"."source_domain" as "c1", "s2"."c1" as "c2"
        from (
          select "t1"."session_id" as "c1", "t1"."source_id" as "c2"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $5::smallint
            and "t1"."at" >= to_timestamp($6::float8)
            and "t1"."at" < to_timestamp($7::float8)
          group by 1, 2
        ) as "s2"
        left join "analytics"."source" as "d3" on "d3"."site_id" = $8::smallint
          and "d3"."source_id" = "s2"."c2"
        group by 1, 2
      ) as "s4"
      group by 1
    ) as "s5"
  ) as "s6" full
  join (
    select "s11"."c1" as "c1", "s11"."c2" as "c2", $9::int as "c3", case when "s11"."c1" is not null then "s11"."c1" else $10::text end as "c4",
      ("s11"."c1" is not null)::int as "c5"
    from (
      select "s10"."c1" as "c1", count("s10"."c2") as "c2"
      from (
        select "d9"."source_domain" as "c1", "s8"."c1" as "c2"
        from (
          select "t7"."session_id" as "c1", "t7"."source_id" as "c2"
          from "analytics"."page_view" as "t7"
          where "t7"."site_id" = $11::smallint
            and "t7"."at" >= to_timestamp($12::float8)
            and "t7"."at" < to_timestamp($13::float8)
          group by 1, 2
        ) as "s8"
        left join "analytics"."source" as "d9" on "d9"."site_id" = $14::smallint
          and "d9"."source_id" = "s8"."c2"
        group by 1, 2
      ) as "s10"
      group by 1
    ) as "s11"
  ) as "s12" on "s6"."c4" = "s12"."c4"
    and "s6"."c5" = "s12"."c5"
  group by 1
) as "s13"
order by "s13"."c3" desc nulls last, "s13"."c1" collate "C" asc nulls last
limit $15;
-- $1 = 0  $2 = 0  $3 = 1  $4 = ""  $5 = 1  $6 = 1778857200  $7 = 1781535600  $8 = 1  $9 = 1  $10 = ""  $11 = 1
-- $12 = 1777561200  $13 = 1778857200  $14 = 1  $15 = 1000

-- ## On which day of the week do most visitors come?
select "s3"."c1" as "r1", "s3"."c2" as "r2"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select extract(isodow from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
      "t1"."reader_id" as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c2" desc nulls last, "s3"."c1" asc nulls last
limit $5;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1

-- ## Which two landing pages have the highest share of visits with only one view?
select "s5"."c1" as "r1", "s5"."c4"::float8 as "r2"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ("s4"."c4" * round(1::numeric, 50) / "s4"."c5")::float8 as "c4"
  from (
    select "d3"."url" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ((100)::numeric * ("s2"."c3")::numeric) as "c4",
      nullif(("s2"."c2")::numeric, 0) as "c5"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2", coalesce(sum("t1"."is_last"::int), 0) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."pv" = $4::bigint
      group by 1
    ) as "s2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
      and "d3"."page_id" = "s2"."c1"
  ) as "s4"
) as "s5"
where "s5"."c2" >= $6::bigint
order by "s5"."c4" desc nulls last, "s5"."c1" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1  $7 = 2

-- ## How many visitors from Google in the first half of May came back later?
select "s7"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s3"."c1") as "c1"
  from (
    select "t1"."reader_id" as "c1"
    from "analytics"."page_view" as "t1"
    left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."source_id" = "t1"."source_id"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and strpos("d2"."source_domain", $5::text) > 0
    group by 1
  ) as "s3"
  inner join (
    select "s5"."c1" as "c1"
    from (
      select "t4"."reader_id" as "c1"
      from "analytics"."page_view" as "t4"
      where "t4"."site_id" = $6::smallint
        and "t4"."at" >= to_timestamp($7::float8)
        and "t4"."at" < to_timestamp($8::float8)
      group by 1
    ) as "s5"
  ) as "s6" on "s3"."c1" = "s6"."c1"
) as "s7"
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1778857200  $5 = "google"  $6 = 1  $7 = 1778857200  $8 = 1781535600
-- $9 = 1000

-- ## Which visits had no purchase in EUR? (The dashboard's query when a parameter is excluded.)
select "s9"."c1" as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."session_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  inner join (
    select "s7"."c1" as "c1"
    from (
      select "s6"."c1" as "c1"
      from (
        select "t2"."session_id" as "c1", count("s5"."c1") as "c2"
        from "analytics"."page_view" as "t2"
        left join (
          select "s4"."c2" as "c1", "s4"."c1" as "c2"
          from (
            select "t3"."session_id" as "c1", count(*) as "c2"
            from "analytics"."event" as "t3"
            where "t3"."site_id" = $1::smallint
              and "t3"."at" >= to_timestamp($2::float8)
              and "t3"."at" < to_timestamp($3::float8)
              and (
                select "e"."event_name_id"
                from "analytics"."event_name" as "e"
                where "e"."site_id" = $4::smallint
                  and "e"."text_key" = $5::uuid
                  and "e"."event_name" = $6::text
              ) is not null
              and "t3"."event_name_id" = (
                select "e"."event_name_id"
                from "analytics"."event_name" as "e"
                where "e"."site_id" = $7::smallint
                  and "e"."text_key" = $8::uuid
                  and "e"."event_name" = $9::text
              )
              and ("t3"."params" ->> $10::text) = $11::text
            group by 1
          ) as "s4"
        ) as "s5" on "t2"."session_id" = "s5"."c2"
        where "t2"."site_id" = $12::smallint
          and "t2"."at" >= to_timestamp($13::float8)
          and "t2"."at" < to_timestamp($14::float8)
        group by 1
      ) as "s6"
      where "s6"."c2" = $15::bigint
      group by 1
    ) as "s7"
  ) as "s8" on "t1"."session_id" = "s8"."c1"
  where "t1"."site_id" = $16::smallint
    and "t1"."at" >= to_timestamp($17::float8)
    and "t1"."at" < to_timestamp($18::float8)
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $19;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "d02050ca9da2608e65bc84ed6a8a1f19"  $6 = "purchase"
-- $7 = 1  $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = "currency"  $11 = "EUR"  $12 = 1
-- $13 = 1777561200  $14 = 1780239600  $15 = 0  $16 = 1  $17 = 1777561200  $18 = 1780239600  $19 = 1000
