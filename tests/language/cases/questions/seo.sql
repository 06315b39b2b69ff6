-- ## How many clicks and impressions did we have in search?
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select coalesce(sum("t1"."clicks"), 0) as "c1", coalesce(sum("t1"."impressions"), 0) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
) as "s2"
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## What is the mean position of each keyword?
select "d6"."keyword" as "r1", "s5"."c1"::float8 as "r2", "s5"."c2" as "r3"
from (
  (
    select "s4"."c4" as "c1", count(*) over () as "c2", "s4"."c1" as "c3"
    from (
      select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 53) / "s3"."c5")::float8 as "c4"
      from (
        select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c2")::numeric as "c4",
          (nullif(("s2"."c3")::numeric, 0) * 100) as "c5"
        from (
          select "t1"."query_id" as "c1", coalesce(sum(("t1"."position_x100" * "t1"."impressions"::bigint)), 0) as "c2",
            coalesce(sum("t1"."impressions"), 0) as "c3"
          from "analytics"."search_day" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."day" >= $2::date
            and "t1"."day" < $3::date
          group by 1
        ) as "s2"
      ) as "s3"
    ) as "s4"
    order by "s4"."c4" asc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s5"
left join "analytics"."keyword" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."query_id" = "s5"."c3"
order by "s5"."c1" asc nulls last, "d6"."keyword" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000  $5 = 1  $6 = 1000

-- ## What is the click-through rate of each keyword?
select "d6"."keyword" as "r1", "s5"."c1"::float8 as "r2", "s5"."c2" as "r3"
from (
  (
    select "s4"."c4" as "c1", count(*) over () as "c2", "s4"."c1" as "c3"
    from (
      select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 50) / "s3"."c5")::float8 as "c4"
      from (
        select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ((100)::numeric * ("s2"."c2")::numeric) as "c4",
          nullif(("s2"."c3")::numeric, 0) as "c5"
        from (
          select "t1"."query_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2", coalesce(sum("t1"."impressions"), 0) as "c3"
          from "analytics"."search_day" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."day" >= $2::date
            and "t1"."day" < $3::date
          group by 1
        ) as "s2"
      ) as "s3"
    ) as "s4"
    order by "s4"."c4" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s5"
left join "analytics"."keyword" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."query_id" = "s5"."c3"
order by "s5"."c1" desc nulls last, "d6"."keyword" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000  $5 = 1  $6 = 1000

-- ## How did the number of clicks change from day to day?
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."day" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## Which keywords bring clicks in web search?
select "d3"."keyword" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."query_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
    and "t1"."search_type" = $4::bigint
  group by 1
) as "s2"
left join "analytics"."keyword" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."query_id" = "s2"."c1"
order by "d3"."keyword" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1  $6 = 1000

-- ## Which keywords with at least 20 impressions are below position 3?
select "s5"."c1" as "r1", "s5"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ("s4"."c4" * round(1::numeric, 53) / "s4"."c5")::float8 as "c4"
  from (
    select "d3"."keyword" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c3")::numeric as "c4",
      (nullif(("s2"."c2")::numeric, 0) * 100) as "c5"
    from (
      select "t1"."query_id" as "c1", coalesce(sum("t1"."impressions"), 0) as "c2", coalesce(sum(("t1"."position_x100" * "t1"."impressions"::bigint)), 0) as "c3"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
      group by 1
    ) as "s2"
    left join "analytics"."keyword" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."query_id" = "s2"."c1"
  ) as "s4"
) as "s5"
where "s5"."c2" >= $5::bigint
  and "s5"."c4" > $6::bigint
order by "s5"."c1" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 20  $6 = 3  $7 = 1000

-- ## Which pages are found in search but were never viewed?
select "d3"."url" as "r1"
from (
  select "t1"."page_id" as "c1"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
  and "d3"."page_id" = "s2"."c1"
left join (
  select "d6"."url" as "c1", "s5"."c2" as "c2"
  from (
    select "t4"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t4"
    where "t4"."site_id" = $5::smallint
      and "t4"."at" >= to_timestamp($6::float8)
      and "t4"."at" < to_timestamp($7::float8)
    group by 1
  ) as "s5"
  left join "analytics"."page" as "d6" on "d6"."site_id" = $8::smallint
    and "d6"."page_id" = "s5"."c1"
) as "s7" on "d3"."url" = "s7"."c1"
where "s7"."c2" is null
order by "d3"."url" collate "C" asc nulls last, "s7"."c1" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1
-- $9 = 1001

-- ## Which keywords contain "shoe"?
select "d4"."keyword" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."query_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
  from "analytics"."search_day" as "t1"
  left join "analytics"."keyword" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."query_id" = "t1"."query_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."day" >= $3::date
    and "t1"."day" < $4::date
    and strpos("d2"."keyword", $5::text) > 0
  group by 1
) as "s3"
left join "analytics"."keyword" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."query_id" = "s3"."c1"
order by "d4"."keyword" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = "2026-05-01"  $4 = "2026-06-01"  $5 = "shoe"  $6 = 1  $7 = 1000

-- ## Which kinds of search bring impressions?
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."search_type" as "c1", coalesce(sum("t1"."impressions"), 0) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## How do each keyword's clicks on May 1 and May 2 compare?
select "d3"."keyword" as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3", count(*) over () as "r4"
from (
  select "t1"."query_id" as "c1", coalesce(sum(case when "t1"."day" = $1::date then "t1"."clicks" end), 0) as "c2",
    coalesce(sum(case when "t1"."day" = $2::date then "t1"."clicks" end), 0) as "c3"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $3::smallint
    and "t1"."day" >= $4::date
    and "t1"."day" < $5::date
  group by 1
) as "s2"
left join "analytics"."keyword" as "d3" on "d3"."site_id" = $6::smallint
  and "d3"."query_id" = "s2"."c1"
order by "d3"."keyword" collate "C" asc nulls last
limit $7;
-- $1 = "2026-05-01"  $2 = "2026-05-02"  $3 = 1  $4 = "2026-05-01"  $5 = "2026-06-01"  $6 = 1  $7 = 1000

-- ## What was the best position of each keyword?
select "d3"."keyword" as "r1", "s2"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select "t1"."query_id" as "c1", min((("t1"."position_x100")::float8 / 100)) as "c2"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
left join "analytics"."keyword" as "d3" on "d3"."site_id" = $4::smallint
  and "d3"."query_id" = "s2"."c1"
order by "d3"."keyword" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1000

-- ## What is the median position of each keyword?
select "s5"."c1" as "r1", "s5"."c3"::float8 as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 38) / "s4"."c4")::float8 as "c3"
  from (
    select "d3"."keyword" as "c1", "s2"."c2" as "c2", ("s2"."c2")::numeric as "c3", (nullif((100)::numeric, 0) * 100) as "c4"
    from (
      select "t1"."query_id" as "c1", (((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[(((count(("t1"."position_x100")) - 1) * 50) / 100) + 1])::numeric * (100 - (((count(("t1"."position_x100")) - 1) * 50) % 100)) + ((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[least((((count(("t1"."position_x100")) - 1) * 50) / 100) + 2, count(("t1"."position_x100")))])::numeric * (((count(("t1"."position_x100")) - 1) * 50) % 100)) as "c2"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
      group by 1
    ) as "s2"
    left join "analytics"."keyword" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."query_id" = "s2"."c1"
  ) as "s4"
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1000

-- ## What share of the clicks does each keyword have?
select "s11"."c1" as "r1", "s11"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s10"."c1" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", ("s10"."c4" * round(1::numeric, 50) / "s10"."c5")::float8 as "c4"
  from (
    select "d9"."keyword" as "c1", "s8"."c2" as "c2", "s8"."c3" as "c3", ((100)::numeric * ("s8"."c2")::numeric) as "c4",
      nullif(("s8"."c3")::numeric, 0) as "c5"
    from (
      select "s2"."c1" as "c1", coalesce(sum("s2"."c3"), 0) as "c2", max("s7"."c1") as "c3"
      from (
        select "t1"."query_id" as "c1", "t1"."site_id" as "c2", coalesce(sum("t1"."clicks"), 0) as "c3"
        from "analytics"."search_day" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."day" >= $2::date
          and "t1"."day" < $3::date
        group by 1, 2
      ) as "s2"
      left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c2"
      left join (
        select "s5"."c2" as "c1", "d6"."tracking_id" as "c2"
        from (
          select "t4"."site_id" as "c1", coalesce(sum("t4"."clicks"), 0) as "c2"
          from "analytics"."search_day" as "t4"
          where "t4"."site_id" = $4::smallint
            and "t4"."day" >= $5::date
            and "t4"."day" < $6::date
          group by 1
        ) as "s5"
        left join "analytics"."site" as "d6" on "d6"."site_id" = "s5"."c1"
      ) as "s7" on "d3"."tracking_id" = "s7"."c2"
      group by 1
    ) as "s8"
    left join "analytics"."keyword" as "d9" on "d9"."site_id" = $7::smallint
      and "d9"."query_id" = "s8"."c1"
  ) as "s10"
) as "s11"
order by "s11"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = "2026-05-01"  $6 = "2026-06-01"  $7 = 1  $8 = 1000

-- ## How many keywords does each page have?
select "d6"."url" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", count("s4"."c2") as "c2"
  from (
    select "s2"."c1" as "c1", "d3"."keyword" as "c2"
    from (
      select "t1"."page_id" as "c1", "t1"."query_id" as "c2"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
      group by 1, 2
    ) as "s2"
    left join "analytics"."keyword" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."query_id" = "s2"."c2"
    group by 1, 2
  ) as "s4"
  group by 1
) as "s5"
left join "analytics"."page" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."page_id" = "s5"."c1"
order by "d6"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1  $5 = 1  $6 = 1000

-- ## What were the clicks and the mean position by week?
select to_char("s4"."c1", 'YYYY-MM-DD') as "r1", "s4"."c2" as "r2", "s4"."c5"::float8 as "r3",
  count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 53) / "s3"."c6")::float8 as "c5"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", ("s2"."c3")::numeric as "c5",
      (nullif(("s2"."c4")::numeric, 0) * 100) as "c6"
    from (
      select date_trunc('week', "t1"."day"::timestamp)::date as "c1", coalesce(sum("t1"."clicks"), 0) as "c2",
        coalesce(sum(("t1"."position_x100" * "t1"."impressions"::bigint)), 0) as "c3", coalesce(sum("t1"."impressions"), 0) as "c4"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
      group by 1
    ) as "s2"
  ) as "s3"
) as "s4"
order by "s4"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## How many search clicks and how many visits were there on each day?
select to_char(coalesce("s3"."c2", "s8"."c1"), 'YYYY-MM-DD') as "r1", case when "s3"."c1" is not null then "s3"."c3" else $1::bigint end as "r2",
  case when "s8"."c3" is not null then "s8"."c2" else $2::bigint end as "r3"
from (
  select $3::int as "c1", "s2"."c1" as "c2", "s2"."c2" as "c3"
  from (
    select "t1"."day" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
    from "analytics"."search_day" as "t1"
    where "t1"."site_id" = $4::smallint
      and "t1"."day" >= $5::date
      and "t1"."day" < $6::date
    group by 1
  ) as "s2"
) as "s3" full
join (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", $7::int as "c3"
  from (
    select "period"."value" as "c1", count("s6"."c1") as "c2"
    from unnest($8::date[], $9::float8[], $10::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s5"."c1" as "c1"
      from (
        select "t4"."session_id" as "c1"
        from "analytics"."page_view" as "t4"
        where "t4"."site_id" = $11::smallint
          and "t4"."at" >= to_timestamp("period"."first")
          and "t4"."at" < to_timestamp("period"."last")
        group by 1
      ) as "s5"
    ) as "s6"
    group by 1
  ) as "s7"
) as "s8" on "s3"."c2" = "s8"."c1"
order by coalesce("s3"."c2", "s8"."c1") asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last,
  "s8"."c1" asc nulls last
limit $12;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1  $5 = "2026-05-01"  $6 = "2026-06-01"  $7 = 1
-- $8 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $9 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $10 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $11 = 1  $12 = 1001

-- ## Which keywords gained the most clicks from May to June?
select "s11"."c1" as "r1", "s11"."c4"::float8 as "r2"
from (
  select "s10"."c1" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", ("s10"."c4" * round(1::numeric, 21) / "s10"."c5")::float8 as "c4"
  from (
    select "s9"."c1" as "c1", "s9"."c2" as "c2", "s9"."c3" as "c3", (("s9"."c2")::numeric - ("s9"."c3")::numeric) as "c4",
      (1)::numeric as "c5"
    from (
      select coalesce("s4"."c1", "s8"."c1") as "c1", coalesce(sum(case when "s8"."c3" is not null then "s8"."c2" else $1::bigint end), 0) as "c2",
        coalesce(sum(case when "s4"."c3" is not null then "s4"."c2" else $2::bigint end), 0) as "c3"
      from (
        select "d3"."keyword" as "c1", "s2"."c2" as "c2", $3::int as "c3"
        from (
          select "t1"."query_id" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
          from "analytics"."search_day" as "t1"
          where "t1"."site_id" = $4::smallint
            and "t1"."day" >= $5::date
            and "t1"."day" < $6::date
          group by 1
        ) as "s2"
        left join "analytics"."keyword" as "d3" on "d3"."site_id" = $7::smallint
          and "d3"."query_id" = "s2"."c1"
      ) as "s4" full
      join (
        select "d7"."keyword" as "c1", "s6"."c2" as "c2", $8::int as "c3"
        from (
          select "t5"."query_id" as "c1", coalesce(sum("t5"."clicks"), 0) as "c2"
          from "analytics"."search_day" as "t5"
          where "t5"."site_id" = $9::smallint
            and "t5"."day" >= $10::date
            and "t5"."day" < $11::date
          group by 1
        ) as "s6"
        left join "analytics"."keyword" as "d7" on "d7"."site_id" = $12::smallint
          and "d7"."query_id" = "s6"."c1"
      ) as "s8" on "s4"."c1" = "s8"."c1"
      group by 1
    ) as "s9"
  ) as "s10"
) as "s11"
order by "s11"."c4" asc nulls last, "s11"."c1" collate "C" asc nulls last
limit $13;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1  $5 = "2026-06-01"  $6 = "2026-07-01"  $7 = 1  $8 = 1  $9 = 1
-- $10 = "2026-05-01"  $11 = "2026-06-01"  $12 = 1  $13 = 5
