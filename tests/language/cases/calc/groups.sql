-- ## the kept columns define the groups, in order
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
order by "d3"."url" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## null is a separate group and is sorted last
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "d3"."utm_source" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
  from (
    select "t1"."source_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."source_id" = "s2"."c1"
  group by 1
) as "s4"
order by "s4"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## different ids with the same text form one group
select "s6"."c1" as "r1", "s6"."c2" as "r2", "s6"."c3" as "r3", "s6"."c6"::float8 as "r4", "s6"."c4" as "r5",
  count(*) over () as "r6"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", "s5"."c4" as "c4", "s5"."c5" as "c5",
    ("s5"."c6" * round(1::numeric, 50) / "s5"."c7")::float8 as "c6"
  from (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", "s4"."c5" as "c5",
      ("s4"."c3")::numeric as "c6", nullif(("s4"."c5")::numeric, 0) as "c7"
    from (
      select "d3"."title" as "c1", coalesce(sum("s2"."c2"), 0) as "c2", coalesce(sum("s2"."c3"), 0) as "c3",
        max("s2"."c4") as "c4", coalesce(sum("s2"."c5"), 0) as "c5"
      from (
        select "t1"."page_id" as "c1", count(*) as "c2", coalesce(sum("t1"."browse_sec"), 0) as "c3",
          max("t1"."irritation_click_count") as "c4", count("t1"."browse_sec") as "c5"
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
) as "s6"
order by "s6"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## different ids with the same text are counted as one distinct value
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", count("s3"."c2") as "c2"
  from (
    select "d2"."title" as "c1", "t1"."reader_id" as "c2"
    from "analytics"."page_view" as "t1"
    left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."page_id" = "t1"."page_id"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
    group by 1, 2
  ) as "s3"
  group by 1
) as "s4"
order by "s4"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## the empty string and null are different groups
select "d3"."os" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."os_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."os" as "d3" on "d3"."os_id" = "s2"."c1"
order by "d3"."os" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## several keys: one from a dimension table, and one derived from the time
select "d4"."device_type" as "r1", to_char("period"."value", 'YYYY-MM-DD') as "r2", "s3"."c1" as "r3",
  count(*) over () as "r4"
from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
cross join lateral (
  select "s2"."c2" as "c1", "s2"."c1" as "c2"
  from (
    select "t1"."device_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $4::smallint
      and "t1"."at" >= to_timestamp("period"."first")
      and "t1"."at" < to_timestamp("period"."last")
    group by 1
  ) as "s2"
) as "s3"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c2"
order by "d4"."device_type" collate "C" asc nulls last, "period"."value" asc nulls last
limit $5;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = 1000

-- ## two text values for the same id
select "d3"."url" as "r1", "d3"."title" as "r2", "s2"."c2" as "r3", count(*) over () as "r4"
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
order by "d3"."url" collate "C" asc nulls last, "d3"."title" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## a text column that is both filtered and kept
select "d4"."url" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."page_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and starts_with("d2"."url", $5::text)
  group by 1
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."page_id" = "s3"."c1"
order by "d4"."url" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1  $7 = 1000

-- ## grouping by ua uses both of its parts
select "s5"."c1" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select ("d3"."os" || ' ' || "d4"."browser") as "c1", coalesce(sum("s2"."c3"), 0) as "c2"
  from (
    select "t1"."os_id" as "c1", "t1"."browser_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1, 2
  ) as "s2"
  left join "analytics"."os" as "d3" on "d3"."os_id" = "s2"."c1"
  left join "analytics"."browser" as "d4" on "d4"."browser_id" = "s2"."c2"
  group by 1
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a datetime as a key
select to_char(("s2"."c1" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."at" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and "t1"."pv_id" = any($5::bigint[])
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $6;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = [4,5,6]  $6 = 1000

-- ## distinct values by a key with few values, alongside sums and means
select "s7"."c1" as "r1", "s7"."c2" as "r2", "s7"."c3" as "r3", "s7"."c4" as "r4", "s7"."c9"::float8 as "r5",
  "s7"."c5" as "r6", "s7"."c6" as "r7", "s7"."c7" as "r8", count(*) over () as "r9"
from (
  select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", "s6"."c4" as "c4", "s6"."c5" as "c5",
    "s6"."c6" as "c6", "s6"."c7" as "c7", "s6"."c8" as "c8", ("s6"."c9" * round(1::numeric, 50) / "s6"."c10")::float8 as "c9"
  from (
    select "d5"."device_type" as "c1", "s4"."c8" as "c2", "s4"."c2" as "c3", "s4"."c3" as "c4",
      "s4"."c4" as "c5", "s4"."c5" as "c6", "s4"."c6" as "c7", "s4"."c7" as "c8", ("s4"."c3")::numeric as "c9",
      nullif(("s4"."c7")::numeric, 0) as "c10"
    from (
      select "s3"."c1" as "c1", coalesce(sum("s3"."c3"), 0) as "c2", coalesce(sum("s3"."c4"), 0) as "c3",
        min("s3"."c5" collate "C") as "c4", coalesce(sum("s3"."c6"), 0) as "c5", coalesce(sum("s3"."c7"), 0) as "c6",
        coalesce(sum("s3"."c8"), 0) as "c7", count("s3"."c2") as "c8"
      from (
        select "t1"."device_id" as "c1", "t1"."reader_id" as "c2", count(*) as "c3", coalesce(sum("t1"."browse_sec"), 0) as "c4",
          min("d2"."url" collate "C") as "c5", coalesce(sum("t1"."is_last"::int), 0) as "c6",
          count("d2"."title") as "c7", count("t1"."browse_sec") as "c8"
        from "analytics"."page_view" as "t1"
        left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
          and "d2"."page_id" = "t1"."page_id"
        where "t1"."site_id" = $2::smallint
          and "t1"."at" >= to_timestamp($3::float8)
          and "t1"."at" < to_timestamp($4::float8)
        group by 1, 2
      ) as "s3"
      group by 1
    ) as "s4"
    left join "analytics"."device" as "d5" on "d5"."device_id" = "s4"."c1"
  ) as "s6"
) as "s7"
order by "s7"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## distinct values of a column with nulls, counted twice
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s5"."c3" as "r3", count(*) over () as "r4"
from (
  select "s4"."c1" as "c1", count("s4"."c2") as "c2", count("s4"."c2") as "c3"
  from (
    select "s2"."c1" as "c1", "d3"."title" as "c2"
    from (
      select "t1"."is_newuser"::int as "c1", "t1"."page_id" as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1, 2
    ) as "s2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $4::smallint
      and "d3"."page_id" = "s2"."c2"
    group by 1, 2
  ) as "s4"
  group by 1
) as "s5"
order by "s5"."c1" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## distinct readers by day and operating system
select to_char("s4"."c1", 'YYYY-MM-DD') as "r1", "d5"."os" as "r2", "s4"."c3" as "r3", count(*) over () as "r4"
from (
  select "period"."value" as "c1", "s3"."c1" as "c2", count("s3"."c2") as "c3"
  from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
  cross join lateral (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select "t1"."os_id" as "c1", "t1"."reader_id" as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $4::smallint
        and "t1"."at" >= to_timestamp("period"."first")
        and "t1"."at" < to_timestamp("period"."last")
      group by 1, 2
    ) as "s2"
  ) as "s3"
  group by 1, 2
) as "s4"
left join "analytics"."os" as "d5" on "d5"."os_id" = "s4"."c2"
order by "s4"."c1" asc nulls last, "d5"."os" collate "C" asc nulls last
limit $5;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = 1000
