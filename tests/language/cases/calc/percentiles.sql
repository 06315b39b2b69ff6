-- ## MEDIAN is the middle value, or the mean of the two middle values
select "s4"."c4"::float8 as "r1", "s4"."c5"::float8 as "r2", "s4"."c6"::float8 as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 35) / "s3"."c5")::float8 as "c4",
    ("s3"."c6" * round(1::numeric, 35) / "s3"."c7")::float8 as "c5", ("s3"."c8" * round(1::numeric, 35) / "s3"."c9")::float8 as "c6"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c1")::numeric as "c4",
      nullif((100)::numeric, 0) as "c5", ("s2"."c2")::numeric as "c6", nullif((100)::numeric, 0) as "c7",
      ("s2"."c3")::numeric as "c8", nullif((100)::numeric, 0) as "c9"
    from (
      select (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c1",
        (((array_agg("t1"."pv_id" order by "t1"."pv_id") filter (where "t1"."pv_id" is not null))[(((count("t1"."pv_id") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."pv_id") - 1) * 50) % 100)) + ((array_agg("t1"."pv_id" order by "t1"."pv_id") filter (where "t1"."pv_id" is not null))[least((((count("t1"."pv_id") - 1) * 50) / 100) + 2, count("t1"."pv_id"))])::numeric * (((count("t1"."pv_id") - 1) * 50) % 100)) as "c2",
        (((array_agg("t1"."is_last"::int order by "t1"."is_last"::int) filter (where "t1"."is_last"::int is not null))[(((count("t1"."is_last"::int) - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."is_last"::int) - 1) * 50) % 100)) + ((array_agg("t1"."is_last"::int order by "t1"."is_last"::int) filter (where "t1"."is_last"::int is not null))[least((((count("t1"."is_last"::int) - 1) * 50) / 100) + 2, count("t1"."is_last"::int))])::numeric * (((count("t1"."is_last"::int) - 1) * 50) % 100)) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## PERCENTILE interpolates linearly from the lowest value to the highest
select "s4"."c7"::float8 as "r1", "s4"."c8"::float8 as "r2", "s4"."c9"::float8 as "r3", "s4"."c10"::float8 as "r4",
  "s4"."c11"::float8 as "r5", "s4"."c12"::float8 as "r6", count(*) over () as "r7"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", "s3"."c5" as "c5",
    "s3"."c6" as "c6", ("s3"."c7" * round(1::numeric, 35) / "s3"."c8")::float8 as "c7", ("s3"."c9" * round(1::numeric, 35) / "s3"."c10")::float8 as "c8",
    ("s3"."c11" * round(1::numeric, 35) / "s3"."c12")::float8 as "c9", ("s3"."c13" * round(1::numeric, 35) / "s3"."c14")::float8 as "c10",
    ("s3"."c15" * round(1::numeric, 35) / "s3"."c16")::float8 as "c11", ("s3"."c17" * round(1::numeric, 35) / "s3"."c18")::float8 as "c12"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", "s2"."c5" as "c5",
      "s2"."c6" as "c6", ("s2"."c1")::numeric as "c7", nullif((100)::numeric, 0) as "c8", ("s2"."c2")::numeric as "c9",
      nullif((100)::numeric, 0) as "c10", ("s2"."c3")::numeric as "c11", nullif((100)::numeric, 0) as "c12",
      ("s2"."c4")::numeric as "c13", nullif((100)::numeric, 0) as "c14", ("s2"."c5")::numeric as "c15",
      nullif((1000)::numeric, 0) as "c16", ("s2"."c6")::numeric as "c17", nullif((1000000)::numeric, 0) as "c18"
    from (
      select (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 0) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 0) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 0) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 0) % 100)) as "c1",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 100) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 100) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 100) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 100) % 100)) as "c2",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 25) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 25) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 25) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 25) % 100)) as "c3",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 90) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 90) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 90) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 90) % 100)) as "c4",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 999) / 1000) + 1])::numeric * (1000 - (((count("t1"."browse_sec") - 1) * 999) % 1000)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 999) / 1000) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 999) % 1000)) as "c5",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 333333) / 1000000) + 1])::numeric * (1000000 - (((count("t1"."browse_sec") - 1) * 333333) % 1000000)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 333333) / 1000000) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 333333) % 1000000)) as "c6"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a percentile of datetimes is rounded down to the second
select to_char(("s2"."c1" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  to_char(("s2"."c2" at time zone make_interval(secs => $2::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  to_char(("s2"."c3" at time zone make_interval(secs => $3::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r3",
  count(*) over () as "r4"
from (
  select (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 50) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 50) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 50) / 100) + 1])) * (((count("t1"."at") - 1) * 50) % 100), 100)::float8) as "c1",
    (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 90) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 90) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 90) / 100) + 1])) * (((count("t1"."at") - 1) * 90) % 100), 100)::float8) as "c2",
    (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 0) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 0) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 0) / 100) + 1])) * (((count("t1"."at") - 1) * 0) % 100), 100)::float8) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
) as "s2"
limit $7;
-- $1 = 32400  $2 = 32400  $3 = 32400  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## a percentile of numbers with decimal places is exact
select "s4"."c4"::float8 as "r1", "s4"."c5"::float8 as "r2", "s4"."c6"::float8 as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 38) / "s3"."c5")::float8 as "c4",
    ("s3"."c6" * round(1::numeric, 38) / "s3"."c7")::float8 as "c5", ("s3"."c8" * round(1::numeric, 38) / "s3"."c9")::float8 as "c6"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c1")::numeric as "c4",
      (nullif((100)::numeric, 0) * 100) as "c5", ("s2"."c2")::numeric as "c6", (nullif((100)::numeric, 0) * 100) as "c7",
      ("s2"."c3")::numeric as "c8", (nullif((100)::numeric, 0) * 100) as "c9"
    from (
      select (((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[(((count(("t1"."position_x100")) - 1) * 50) / 100) + 1])::numeric * (100 - (((count(("t1"."position_x100")) - 1) * 50) % 100)) + ((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[least((((count(("t1"."position_x100")) - 1) * 50) / 100) + 2, count(("t1"."position_x100")))])::numeric * (((count(("t1"."position_x100")) - 1) * 50) % 100)) as "c1",
        (((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[(((count(("t1"."position_x100")) - 1) * 25) / 100) + 1])::numeric * (100 - (((count(("t1"."position_x100")) - 1) * 25) % 100)) + ((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[least((((count(("t1"."position_x100")) - 1) * 25) / 100) + 2, count(("t1"."position_x100")))])::numeric * (((count(("t1"."position_x100")) - 1) * 25) % 100)) as "c2",
        (((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[(((count(("t1"."position_x100")) - 1) * 90) / 100) + 1])::numeric * (100 - (((count(("t1"."position_x100")) - 1) * 90) % 100)) + ((array_agg(("t1"."position_x100") order by ("t1"."position_x100")) filter (where ("t1"."position_x100") is not null))[least((((count(("t1"."position_x100")) - 1) * 90) / 100) + 2, count(("t1"."position_x100")))])::numeric * (((count(("t1"."position_x100")) - 1) * 90) % 100)) as "c3"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000

-- ## a percentile of nulls is null, and values are ordered within each group
select "s5"."c1" as "r1", "s5"."c4"::float8 as "r2", "s5"."c2" as "r3", count(*) over () as "r4"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ("s4"."c4" * round(1::numeric, 35) / "s4"."c5")::float8 as "c4"
  from (
    select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c3")::numeric as "c4",
      nullif((100)::numeric, 0) as "c5"
    from (
      select "t1"."device_id" as "c1", count("t1"."browse_sec") as "c2", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c1"
  ) as "s4"
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a percentile over no rows is null
select "s4"."c3"::float8 as "r1", to_char(("s4"."c1" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 35) / "s3"."c4")::float8 as "c3"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", ("s2"."c2")::numeric as "c3", nullif((100)::numeric, 0) as "c4"
    from (
      select (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 5) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 5) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 5) / 100) + 1])) * (((count("t1"."at") - 1) * 5) % 100), 100)::float8) as "c1",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
        and (
          select "e"."page_id"
          from "analytics"."page" as "e"
          where "e"."site_id" = $5::smallint
            and "e"."text_key" = $6::uuid
            and "e"."url" = $7::text
        ) is not null
        and "t1"."page_id" = (
          select "e"."page_id"
          from "analytics"."page" as "e"
          where "e"."site_id" = $8::smallint
            and "e"."text_key" = $9::uuid
            and "e"."url" = $10::text
        )
    ) as "s2"
  ) as "s3"
) as "s4"
limit $11;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = "13bd630a78b3536047112915a0efa449"
-- $7 = "nowhere"  $8 = 1  $9 = "13bd630a78b3536047112915a0efa449"  $10 = "nowhere"  $11 = 1000

-- ## percentiles of an earlier view's calcs
select "s8"."c4"::float8 as "r1", "s8"."c5"::float8 as "r2", "s8"."c1"::float8 as "r3", count(*) over () as "r4"
from (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", "s7"."c3" as "c3", ("s7"."c4" * round(1::numeric, 35) / "s7"."c5")::float8 as "c4",
    ("s7"."c6" * round(1::numeric, 35) / "s7"."c7")::float8 as "c5"
  from (
    select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", ("s6"."c2")::numeric as "c4",
      nullif((100)::numeric, 0) as "c5", "s6"."c4" as "c6", nullif((100)::numeric, 0) as "c7"
    from (
      select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", ("s5"."c3")::text::numeric as "c4"
      from (
        select max("s4"."c3") as "c1", (((array_agg("s4"."c1" order by "s4"."c1") filter (where "s4"."c1" is not null))[(((count("s4"."c1") - 1) * 75) / 100) + 1])::numeric * (100 - (((count("s4"."c1") - 1) * 75) % 100)) + ((array_agg("s4"."c1" order by "s4"."c1") filter (where "s4"."c1" is not null))[least((((count("s4"."c1") - 1) * 75) / 100) + 2, count("s4"."c1"))])::numeric * (((count("s4"."c1") - 1) * 75) % 100)) as "c2",
          (((array_agg("s4"."c3" order by "s4"."c3") filter (where "s4"."c3" is not null))[(((count("s4"."c3") - 1) * 50) / 100) + 1]::text::numeric)::numeric * (100 - (((count("s4"."c3") - 1) * 50) % 100)) + ((array_agg("s4"."c3" order by "s4"."c3") filter (where "s4"."c3" is not null))[least((((count("s4"."c3") - 1) * 50) / 100) + 2, count("s4"."c3"))]::text::numeric)::numeric * (((count("s4"."c3") - 1) * 50) % 100)) as "c3"
        from (
          select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 35) / "s3"."c4")::float8 as "c3"
          from (
            select "s2"."c2" as "c1", "s2"."c3" as "c2", ("s2"."c3")::numeric as "c3", nullif((100)::numeric, 0) as "c4"
            from (
              select "t1"."page_id" as "c1", count(*) as "c2", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c3"
              from "analytics"."page_view" as "t1"
              where "t1"."site_id" = $1::smallint
                and "t1"."at" >= to_timestamp($2::float8)
                and "t1"."at" < to_timestamp($3::float8)
              group by 1
            ) as "s2"
          ) as "s3"
        ) as "s4"
        where "s4"."c3" >= $4::bigint
      ) as "s5"
    ) as "s6"
  ) as "s7"
) as "s8"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## percentiles combine with other functions, sort and top
select "d6"."url" as "r1", "s5"."c1" as "r2", "s5"."c2"::float8 as "r3", "s5"."c3"::float8 as "r4"
from (
  (
    select "s4"."c1" as "c1", "s4"."c6" as "c2", "s4"."c7" as "c3", "s4"."c2" as "c4"
    from (
      select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", "s3"."c5" as "c5",
        ("s3"."c6" * round(1::numeric, 35) / "s3"."c7")::float8 as "c6", ("s3"."c8" * round(1::numeric, 50) / "s3"."c9")::float8 as "c7"
      from (
        select "s2"."c2" as "c1", "s2"."c1" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", "s2"."c5" as "c5",
          ("s2"."c3")::numeric as "c6", nullif((100)::numeric, 0) as "c7", ("s2"."c4")::numeric as "c8",
          nullif(("s2"."c5")::numeric, 0) as "c9"
        from (
          select "t1"."page_id" as "c1", count(distinct "t1"."session_id") as "c2", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 75) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 75) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 75) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 75) % 100)) as "c3",
            coalesce(sum("t1"."browse_sec"), 0) as "c4", count("t1"."browse_sec") as "c5"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."at" >= to_timestamp($2::float8)
            and "t1"."at" < to_timestamp($3::float8)
          group by 1
        ) as "s2"
      ) as "s3"
    ) as "s4"
    order by "s4"."c6" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s5"
left join "analytics"."page" as "d6" on "d6"."site_id" = $5::smallint
  and "d6"."page_id" = "s5"."c4"
order by "s5"."c2" desc nulls last, "d6"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 2

-- ## counting rows skips the percentiles
select "s3"."c1"
from (
  select count(*) as "c1"
  from (
    select "t1"."page_id" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
) as "s3";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600
