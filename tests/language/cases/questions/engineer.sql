-- ## What is the 95th percentile of the loading time?
select "s4"."c2"::float8 as "r1", count(*) over () as "r2"
from (
  select "s3"."c1" as "c1", ("s3"."c2" * round(1::numeric, 35) / "s3"."c3")::float8 as "c2"
  from (
    select "s2"."c1" as "c1", ("s2"."c1")::numeric as "c2", nullif((100)::numeric, 0) as "c3"
    from (
      select (((array_agg("t1"."speed_msec" order by "t1"."speed_msec") filter (where "t1"."speed_msec" is not null))[(((count("t1"."speed_msec") - 1) * 95) / 100) + 1])::numeric * (100 - (((count("t1"."speed_msec") - 1) * 95) % 100)) + ((array_agg("t1"."speed_msec" order by "t1"."speed_msec") filter (where "t1"."speed_msec" is not null))[least((((count("t1"."speed_msec") - 1) * 95) / 100) + 2, count("t1"."speed_msec"))])::numeric * (((count("t1"."speed_msec") - 1) * 95) % 100)) as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## How many views have no loading time?
select "s4"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 21) / "s3"."c4")::float8 as "c3"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", (("s2"."c1")::numeric - ("s2"."c2")::numeric) as "c3",
      (1)::numeric as "c4"
    from (
      select count(*) as "c1", count("t1"."speed_msec") as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## Which browsers are used on which systems?
select "d4"."os" as "r1", "d5"."browser" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select "s2"."c1" as "c1", "s2"."c2" as "c2", count("s2"."c3") as "c3"
  from (
    select "t1"."os_id" as "c1", "t1"."browser_id" as "c2", "t1"."session_id" as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2, 3
  ) as "s2"
  group by 1, 2
) as "s3"
left join "analytics"."os" as "d4" on "d4"."os_id" = "s3"."c1"
left join "analytics"."browser" as "d5" on "d5"."browser_id" = "s3"."c2"
order by "s3"."c3" desc nulls last, "d4"."os" collate "C" asc nulls last, "d5"."browser" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## Which views have no browser?
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."browser" as "d2" on "d2"."browser_id" = "t1"."browser_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "d2"."browser" is null
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## How many views were there in the hour before midnight?
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and extract(hour from ("t1"."at" at time zone make_interval(secs => $4::float8)))::int = $5::bigint
) as "s2"
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = 23  $6 = 1000

-- ## How are views distributed over the days of the week?
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select extract(isodow from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
    count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $5;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## Which events are sent, and how often?
select "d4"."event_name" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3"
from (
  (
    select "s2"."c2" as "c1", count(*) over () as "c2", "s2"."c1" as "c3"
    from (
      select "t1"."event_name_id" as "c1", count(*) as "c2"
      from "analytics"."event" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."event_name" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."event_name_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."event_name" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000  $5 = 1  $6 = 1000

-- ## What parameters did video_play have?
select "s2"."c1" as "r1"
from (
  select "t1"."params"::text as "c1", "t1"."at" as "c2", "t1"."event_id" as "c3"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = $5::uuid
        and "e"."event_name" = $6::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."event_name" = $9::text
    )
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c3" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "ce872c85891447f7f3b203325f8f2809"  $6 = "video_play"
-- $7 = 1  $8 = "ce872c85891447f7f3b203325f8f2809"  $9 = "video_play"  $10 = 1001

-- ## How long did each visit last, in seconds?
select "s4"."c1" as "r1", "s4"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 21) / "s3"."c5")::float8 as "c4"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c3"))::numeric) as "c4",
      (1)::numeric as "c5"
    from (
      select "t1"."session_id" as "c1", max("t1"."at") as "c2", min("t1"."at") as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
  ) as "s3"
) as "s4"
order by "s4"."c4" desc nulls last, "s4"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## How many clicks lead to other sites?
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."is_external"::int = $4::bigint
) as "s2"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## How many different pages were viewed?
select "s5"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s4"."c1") as "c1"
  from (
    select "d3"."url" as "c1"
    from (
      select "t1"."page_id" as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."page_id" = "s2"."c1"
    group by 1
  ) as "s4"
) as "s5"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## Which views came neither from a phone in Japan nor from a PC?
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."country" as "d2" on "d2"."country_id" = "t1"."country_id"
left join "analytics"."device" as "d3" on "d3"."device_id" = "t1"."device_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("d2"."country_code" = $4::text and "d3"."device_type" = $5::text or "d3"."device_type" = $6::text) is not true
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "JP"  $5 = "SP"  $6 = "PC"  $7 = 1001

-- ## What are the third and fourth views, in order of their ids?
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" asc nulls last, "t1"."at" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 2

-- ## Which versions does page /a have?
select "s2"."c1" as "r1", to_char("s2"."c2", 'YYYY-MM-DD') as "r2"
from (
  select "t1"."version_no" as "c1", "t1"."update_date" as "c2", "t1"."version_id" as "c3"
  from "analytics"."page_version" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."update_date" >= $2::date
    and "t1"."update_date" < $3::date
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = $5::uuid
        and "e"."url" = $6::text
    ) is not null
    and "t1"."page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."url" = $9::text
    )
  order by "t1"."version_no" asc nulls last, "t1"."update_date" asc nulls last, "t1"."version_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last, "s2"."c3" asc nulls last;
-- $1 = 1  $2 = "2025-01-01"  $3 = "2026-06-01"  $4 = 1  $5 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $6 = "/a"
-- $7 = 1  $8 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $9 = "/a"  $10 = 1001

-- ## How many views does each of my sites have?
select "d3"."tracking_id" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."site_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
order by "d3"."tracking_id" collate "C" asc nulls last, "s2"."c1" asc nulls last
limit $4;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## Which pages load slowly, by their 95th percentile?
select "s5"."c1" as "r1", "s5"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ("s4"."c4" * round(1::numeric, 35) / "s4"."c5")::float8 as "c4"
  from (
    select "d3"."url" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c3")::numeric as "c4",
      nullif((100)::numeric, 0) as "c5"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2", (((array_agg("t1"."speed_msec" order by "t1"."speed_msec") filter (where "t1"."speed_msec" is not null))[(((count("t1"."speed_msec") - 1) * 95) / 100) + 1])::numeric * (100 - (((count("t1"."speed_msec") - 1) * 95) % 100)) + ((array_agg("t1"."speed_msec" order by "t1"."speed_msec") filter (where "t1"."speed_msec" is not null))[least((((count("t1"."speed_msec") - 1) * 95) / 100) + 2, count("t1"."speed_msec"))])::numeric * (((count("t1"."speed_msec") - 1) * 95) % 100)) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."page_id" = "s2"."c1"
  ) as "s4"
) as "s5"
where "s5"."c2" >= $5::bigint
  and "s5"."c4" is not null
order by "s5"."c4" desc nulls last, "s5"."c1" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1000

-- ## On which pages do visitors stay longest, on average?
select "d6"."url" as "r1", "s5"."c1"::float8 as "r2"
from (
  (
    select "s4"."c4" as "c1", "s4"."c1" as "c2"
    from (
      select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 50) / "s3"."c5")::float8 as "c4"
      from (
        select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c2")::numeric as "c4",
          nullif(("s2"."c3")::numeric, 0) as "c5"
        from (
          select "t1"."page_id" as "c1", coalesce(sum("t1"."browse_sec"), 0) as "c2", count("t1"."browse_sec") as "c3"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."at" >= to_timestamp($2::float8)
            and "t1"."at" < to_timestamp($3::float8)
            and "t1"."browse_sec" is not null
          group by 1
        ) as "s2"
      ) as "s3"
    ) as "s4"
    order by "s4"."c4" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s5"
left join "analytics"."page" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."page_id" = "s5"."c2"
order by "s5"."c1" desc nulls last, "d6"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 2

-- ## How many views were there in each hour of May 2, including hours without any?
select "s8"."c1" as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select extract(hour from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
        count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select "d3"."number" as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($5::int[], $6::int[]) as spans(first, last)
    ) as "d3"
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($7::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o5"
      ) * (
        select count(*)
        from "p6"
      ) as cells
    ) as counted
  ) = 0) as "u7"
  group by 1
) as "s8"
order by "s8"."c1" asc nulls last
limit $8;
-- $1 = 32400  $2 = 1  $3 = 1777647600  $4 = 1777734000  $5 = [0]  $6 = [23]
-- $7 = "too many periods to fill: v "  $8 = 1000
