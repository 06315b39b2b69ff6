-- ## every day in the range, with 0 for counts and sums and null for other values
select to_char("s12"."c1", 'YYYY-MM-DD') as "r1", "s12"."c2" as "r2", "s12"."c3" as "r3", "s12"."c4" as "r4",
  "s12"."c9"::float8 as "r5", "s12"."c5" as "r6", "s12"."c10"::float8 as "r7", to_char(("s12"."c6" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r8",
  count(*) over () as "r9"
from (
  select "s11"."c1" as "c1", "s11"."c2" as "c2", "s11"."c3" as "c3", "s11"."c4" as "c4", "s11"."c5" as "c5",
    "s11"."c6" as "c6", "s11"."c7" as "c7", "s11"."c8" as "c8", ("s11"."c9" * round(1::numeric, 50) / "s11"."c10")::float8 as "c9",
    ("s11"."c11" * round(1::numeric, 35) / "s11"."c12")::float8 as "c10"
  from (
    select "s10"."c1" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", "s10"."c4" as "c4", "s10"."c5" as "c5",
      "s10"."c6" as "c6", "s10"."c7" as "c7", "s10"."c8" as "c8", ("s10"."c4")::numeric as "c9",
      nullif(("s10"."c7")::numeric, 0) as "c10", ("s10"."c8")::numeric as "c11", nullif((100)::numeric, 0) as "c12"
    from (
      select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2", coalesce(max("u9"."c3"), 0) as "c3",
        coalesce(max("u9"."c4"), 0) as "c4", max("u9"."c5") as "c5", max("u9"."c6") as "c6",
        coalesce(max("u9"."c7"), 0) as "c7", max("u9"."c8") as "c8"
      from (with "g6" as materialized (
        select "period"."value" as "c1", "s4"."c1" as "c2", "s4"."c2" as "c3", "s4"."c3" as "c4",
          "s4"."c4" as "c5", "s4"."c5" as "c6", "s4"."c6" as "c7", "s4"."c7" as "c8"
        from unnest($2::date[], $3::float8[], $4::float8[]) as "period"(value, first, last)
        cross join lateral (
          select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4",
            "s3"."c5" as "c5", "s3"."c6" as "c6", "s3"."c7" as "c7", "s3"."c8" as "c8"
          from (
            select count(*) as "c1", count(distinct "t1"."reader_id") as "c2", coalesce(sum("t1"."browse_sec"), 0) as "c3",
              min("d2"."url" collate "C") as "c4", max("t1"."at") as "c5", count("t1"."browse_sec") as "c6",
              (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c7",
              count(*) as "c8"
            from "analytics"."page_view" as "t1"
            left join "analytics"."page" as "d2" on "d2"."site_id" = $5::smallint
              and "d2"."page_id" = "t1"."page_id"
            where "t1"."site_id" = $6::smallint
              and "t1"."at" >= to_timestamp("period"."first")
              and "t1"."at" < to_timestamp("period"."last")
          ) as "s3"
        ) as "s4"
        where "s4"."c8" > $7::bigint
      ), "o7" as materialized (
        select 1
      ), "p8" as materialized (
        select (date '1970-01-01' + "d5"."number") as "c1"
        from (
          select generate_series(first, last) as number
          from unnest($8::int[], $9::int[]) as spans(first, last)
        ) as "d5"
      ) select "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8" from "g6" union all select "c1", null, null, null, null, null, null, null from "o7" cross join "p8" where (
        select case when cells > 1000000 then (concat($10::text, cells))::int else 0 end
        from (
          select (
            select count(*)
            from "o7"
          ) * (
            select count(*)
            from "p8"
          ) as cells
        ) as counted
      ) = 0) as "u9"
      group by 1
    ) as "s10"
  ) as "s11"
) as "s12"
order by "s12"."c1" asc nulls last
limit $11;
-- $1 = 32400  $2 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04"]
-- $3 = [1777561200,1777647600,1777734000,1777820400]  $4 = [1777647600,1777734000,1777820400,1777906800]
-- $5 = 1  $6 = 1  $7 = 0  $8 = [20574]  $9 = [20577]  $10 = "too many periods to fill: v "  $11 = 1000

-- ## an expression is computed from the 0 and null results of its calls
select to_char("s12"."c1", 'YYYY-MM-DD') as "r1", "s12"."c5"::float8 as "r2", "s12"."c6"::float8 as "r3",
  "s12"."c2" as "r4", count(*) over () as "r5"
from (
  select "s11"."c1" as "c1", "s11"."c2" as "c2", "s11"."c3" as "c3", "s11"."c4" as "c4", ("s11"."c5" * round(1::numeric, 21) / "s11"."c6")::float8 as "c5",
    ("s11"."c7" * round(1::numeric, 50) / "s11"."c8")::float8 as "c6"
  from (
    select "s10"."c1" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", "s10"."c4" as "c4", (("s10"."c3")::numeric + (5)::numeric) as "c5",
      (1)::numeric as "c6", ("s10"."c4")::numeric as "c7", nullif(("s10"."c3")::numeric, 0) as "c8"
    from (
      select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2", coalesce(max("u9"."c3"), 0) as "c3",
        coalesce(max("u9"."c4"), 0) as "c4"
      from (with "g6" as materialized (
        select "period"."value" as "c1", "s4"."c1" as "c2", "s4"."c2" as "c3", "s4"."c3" as "c4"
        from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
        cross join lateral (
          select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4"
          from (
            select count(case when "d2"."device_type" = $4::text then "t1"."pv_id" end) as "c1",
              count(*) as "c2", coalesce(sum("t1"."browse_sec"), 0) as "c3", count(*) as "c4"
            from "analytics"."page_view" as "t1"
            left join "analytics"."device" as "d2" on "d2"."device_id" = "t1"."device_id"
            where "t1"."site_id" = $5::smallint
              and "t1"."at" >= to_timestamp("period"."first")
              and "t1"."at" < to_timestamp("period"."last")
          ) as "s3"
        ) as "s4"
        where "s4"."c4" > $6::bigint
      ), "o7" as materialized (
        select 1
      ), "p8" as materialized (
        select (date '1970-01-01' + "d5"."number") as "c1"
        from (
          select generate_series(first, last) as number
          from unnest($7::int[], $8::int[]) as spans(first, last)
        ) as "d5"
      ) select "c1", "c2", "c3", "c4" from "g6" union all select "c1", null, null, null from "o7" cross join "p8" where (
        select case when cells > 1000000 then (concat($9::text, cells))::int else 0 end
        from (
          select (
            select count(*)
            from "o7"
          ) * (
            select count(*)
            from "p8"
          ) as cells
        ) as counted
      ) = 0) as "u9"
      group by 1
    ) as "s10"
  ) as "s11"
) as "s12"
order by "s12"."c1" asc nulls last
limit $10;
-- $1 = ["2026-05-02","2026-05-03"]  $2 = [1777647600,1777734000]  $3 = [1777734000,1777820400]  $4 = "SP"
-- $5 = 1  $6 = 0  $7 = [20575]  $8 = [20576]  $9 = "too many periods to fill: v "  $10 = 1000

-- ## weeks that the range touches
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + ("d4"."number" * 7 - 3)) as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $9;
-- $1 = ["2026-04-27","2026-05-04","2026-05-11"]  $2 = [1777518000,1777820400,1778425200]
-- $3 = [1777820400,1778425200,1779030000]  $4 = 1  $5 = 0  $6 = [2939]  $7 = [2941]
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## months that the range touches, with a qualified column
select "s9"."c1" as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::text[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select to_char(make_date("d4"."number" / 12, "d4"."number" % 12 + 1, 1), 'YYYY-MM') as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" collate "C" asc nulls last
limit $9;
-- $1 = ["2025-11","2025-12","2026-01","2026-02","2026-03","2026-04","2026-05"]
-- $2 = [1764514799,1764514800,1767193200,1769871600,1772290800,1774969200,1777561200]
-- $3 = [1764514800,1767193200,1769871600,1772290800,1774969200,1777561200,1777561201]  $4 = 1  $5 = 0
-- $6 = [24310]  $7 = [24316]  $8 = "too many periods to fill: v "  $9 = 1000

-- ## each combination of the other kept columns that occurs in the data
select to_char("s12"."c3", 'YYYY-MM-DD') as "r1", "s12"."c1" as "r2", "s12"."c2" as "r3", "s12"."c4" as "r4",
  count(*) over () as "r5"
from (
  select "u11"."c1" as "c1", "u11"."c2" as "c2", "u11"."c3" as "c3", coalesce(max("u11"."c4"), 0) as "c4"
  from (with "g8" as materialized (
    select "s6"."c2" as "c1", "s6"."c3" as "c2", "s6"."c1" as "c3", "s6"."c4" as "c4"
    from (
      select "period"."value" as "c1", "d4"."device_type" as "c2", "d5"."utm_source" as "c3",
        coalesce(sum("s3"."c1"), 0) as "c4"
      from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
      cross join lateral (
        select "s2"."c3" as "c1", "s2"."c1" as "c2", "s2"."c2" as "c3"
        from (
          select "t1"."device_id" as "c1", "t1"."source_id" as "c2", count(*) as "c3"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $4::smallint
            and "t1"."at" >= to_timestamp("period"."first")
            and "t1"."at" < to_timestamp("period"."last")
            and ("t1"."device_id" = (
              select "e"."device_id"
              from "analytics"."device" as "e"
              where "e"."device_type" = $5::text
            )) is not true
          group by 1, 2
        ) as "s2"
      ) as "s3"
      left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c2"
      left join "analytics"."source" as "d5" on "d5"."site_id" = $6::smallint
        and "d5"."source_id" = "s3"."c3"
      group by 1, 2, 3
    ) as "s6"
  ), "o9" as materialized (
    select distinct "c1", "c2"
    from "g8"
  ), "p10" as materialized (
    select (date '1970-01-01' + "d7"."number") as "c3"
    from (
      select generate_series(first, last) as number
      from unnest($7::int[], $8::int[]) as spans(first, last)
    ) as "d7"
  ) select "c1", "c2", "c3", "c4" from "g8" union all select "c1", "c2", "c3", null from "o9" cross join "p10" where (
    select case when cells > 1000000 then (concat($9::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o9"
      ) * (
        select count(*)
        from "p10"
      ) as cells
    ) as counted
  ) = 0) as "u11"
  group by 1, 2, 3
) as "s12"
order by "s12"."c1" collate "C" asc nulls last, "s12"."c3" asc nulls last, "s12"."c2" collate "C" asc nulls last
limit $10;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03"]  $2 = [1777561200,1777647600,1777734000]
-- $3 = [1777647600,1777734000,1777820400]  $4 = 1  $5 = "tablet"  $6 = 1  $7 = [20574]  $8 = [20576]
-- $9 = "too many periods to fill: v "  $10 = 1000

-- ## null is treated as a value of another kept column
select "s11"."c1" as "r1", to_char("s11"."c2", 'YYYY-MM-DD') as "r2", "s11"."c3" as "r3", count(*) over () as "r4"
from (
  select "u10"."c1" as "c1", "u10"."c2" as "c2", coalesce(max("u10"."c3"), 0) as "c3"
  from (with "g7" as materialized (
    select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3"
    from (
      select "d4"."utm_source" as "c1", "period"."value" as "c2", coalesce(sum("s3"."c1"), 0) as "c3"
      from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
      cross join lateral (
        select "s2"."c2" as "c1", "s2"."c1" as "c2"
        from (
          select "t1"."source_id" as "c1", count(*) as "c2"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $4::smallint
            and "t1"."at" >= to_timestamp("period"."first")
            and "t1"."at" < to_timestamp("period"."last")
          group by 1
        ) as "s2"
      ) as "s3"
      left join "analytics"."source" as "d4" on "d4"."site_id" = $5::smallint
        and "d4"."source_id" = "s3"."c2"
      group by 1, 2
    ) as "s5"
  ), "o8" as materialized (
    select distinct "c1"
    from "g7"
  ), "p9" as materialized (
    select (date '1970-01-01' + "d6"."number") as "c2"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d6"
  ) select "c1", "c2", "c3" from "g7" union all select "c1", "c2", null from "o8" cross join "p9" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o8"
      ) * (
        select count(*)
        from "p9"
      ) as cells
    ) as counted
  ) = 0) as "u10"
  group by 1, 2
) as "s11"
order by "s11"."c1" collate "C" asc nulls last, "s11"."c2" asc nulls last
limit $9;
-- $1 = ["2026-05-02","2026-05-03"]  $2 = [1777647600,1777734000]  $3 = [1777734000,1777820400]  $4 = 1  $5 = 1
-- $6 = [20575]  $7 = [20576]  $8 = "too many periods to fill: v "  $9 = 1000

-- ## without rows, a view that keeps only the period has all periods, and other views have no rows
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", "s20"."c2" as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
left join (
  select "s19"."c2" as "c1", "s19"."c1" as "c2"
  from (
    select "u18"."c1" as "c1", "u18"."c2" as "c2"
    from (with "g15" as materialized (
      select "d13"."url" as "c1", "period"."value" as "c2"
      from unnest($9::date[], $10::float8[], $11::float8[]) as "period"(value, first, last)
      cross join lateral (
        select "s11"."c1" as "c1"
        from (
          select "t10"."page_id" as "c1"
          from "analytics"."page_view" as "t10"
          where "t10"."site_id" = $12::smallint
            and "t10"."at" >= to_timestamp("period"."first")
            and "t10"."at" < to_timestamp("period"."last")
          group by 1
        ) as "s11"
      ) as "s12"
      left join "analytics"."page" as "d13" on "d13"."site_id" = $13::smallint
        and "d13"."page_id" = "s12"."c1"
    ), "o16" as materialized (
      select distinct "c1"
      from "g15"
    ), "p17" as materialized (
      select (date '1970-01-01' + "d14"."number") as "c2"
      from (
        select generate_series(first, last) as number
        from unnest($14::int[], $15::int[]) as spans(first, last)
      ) as "d14"
    ) select "c1", "c2" from "g15" union all select "c1", "c2" from "o16" cross join "p17" where (
      select case when cells > 1000000 then (concat($16::text, cells))::int else 0 end
      from (
        select (
          select count(*)
          from "o16"
        ) * (
          select count(*)
          from "p17"
        ) as cells
      ) as counted
    ) = 0) as "u18"
    group by 1, 2
  ) as "s19"
) as "s20" on "s9"."c1" = "s20"."c1"
order by "s9"."c1" asc nulls last, "s20"."c1" asc nulls last, "s20"."c2" collate "C" asc nulls last
limit $17;
-- $1 = ["2020-01-31","2020-02-01"]  $2 = [1580428800,1580515200]  $3 = [1580515200,1580601600]  $4 = 1  $5 = 0
-- $6 = [18292]  $7 = [18293]  $8 = "too many periods to fill: days "  $9 = ["2020-01-31","2020-02-01"]
-- $10 = [1580428800,1580515200]  $11 = [1580515200,1580601600]  $12 = 1  $13 = 1  $14 = [18292]  $15 = [18293]
-- $16 = "too many periods to fill: pages "  $17 = 1001

-- ## the hours of a day on which the clocks go back
select "s8"."c1" as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select extract(hour from ("t1"."at" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "t1"."at"), $2::float8[]) + 1])))::int as "c1",
        count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select "d3"."number" as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d3"
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
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
limit $9;
-- $1 = [7200,3600]  $2 = [1792890000]  $3 = 2  $4 = 1792882800  $5 = 1792900800  $6 = [1]  $7 = [4]
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## an hour that is skipped when the clocks go forward
select "s8"."c1" as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select extract(hour from ("t1"."at" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "t1"."at"), $2::float8[]) + 1])))::int as "c1",
        count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select "d3"."number" as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d3"
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
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
limit $9;
-- $1 = [3600,7200]  $2 = [1774746000]  $3 = 2  $4 = 1774742400  $5 = 1774749600  $6 = [1,3]  $7 = [1,3]
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## hours before and after midnight
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
-- $1 = 32400  $2 = 1  $3 = 1777732200  $4 = 1777739400  $5 = [0,23]  $6 = [1,23]
-- $7 = "too many periods to fill: v "  $8 = 1000

-- ## a day that a zone skipped
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $9;
-- $1 = ["2011-12-29","2011-12-31"]  $2 = [1325152800,1325239200]  $3 = [1325239200,1325325600]  $4 = 1  $5 = 0
-- $6 = [15337,15339]  $7 = [15337,15339]  $8 = "too many periods to fill: v "  $9 = 1000

-- ## only the days of the week that occur in the range
select "s8"."c1" as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select extract(isodow from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
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
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1777906800  $5 = [1,5]  $6 = [1,7]
-- $7 = "too many periods to fill: v "  $8 = 1000

-- ## the view's range, not the query's
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $9;
-- $1 = ["2026-06-01","2026-06-02"]  $2 = [1780239600,1780326000]  $3 = [1780326000,1780412400]  $4 = 1  $5 = 0
-- $6 = [20605]  $7 = [20606]  $8 = "too many periods to fill: v "  $9 = 1000

-- ## a filter on the period itself leaves out periods; other filters do not
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
          and ("t1"."at" at time zone make_interval(secs => $5::float8))::date between $6::date
          and $7::date
          and "t1"."at" >= to_timestamp($8::float8)
          and (
            select "e"."page_id"
            from "analytics"."page" as "e"
            where "e"."site_id" = $9::smallint
              and "e"."text_key" = $10::uuid
              and "e"."url" = $11::text
          ) is not null
          and "t1"."page_id" = (
            select "e"."page_id"
            from "analytics"."page" as "e"
            where "e"."site_id" = $12::smallint
              and "e"."text_key" = $13::uuid
              and "e"."url" = $14::text
          )
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $15::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($16::int[], $17::int[]) as spans(first, last)
    ) as "d4"
    where (date '1970-01-01' + "d4"."number") between $18::date
      and $19::date
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($20::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $21;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = 32400  $6 = "2026-05-02"  $7 = "2026-05-03"  $8 = 1777690800  $9 = 1
-- $10 = "97fe389d91c268c425bbc7cab45ab768"  $11 = "/b"  $12 = 1  $13 = "97fe389d91c268c425bbc7cab45ab768"
-- $14 = "/b"  $15 = 0  $16 = [20574]  $17 = [20604]  $18 = "2026-05-02"  $19 = "2026-05-03"
-- $20 = "too many periods to fill: v "  $21 = 1000

-- ## a filter on a part that is the same all day leaves out periods, too
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
          and extract(isodow from ("t1"."at" at time zone make_interval(secs => $5::float8)))::int = any($6::bigint[])
          and (to_char(("t1"."at" at time zone make_interval(secs => $7::float8)), 'YYYY-MM') = $8::text or date_trunc('week', ("t1"."at" at time zone make_interval(secs => $9::float8))::timestamp)::date = $10::date)
          and (("t1"."at" at time zone make_interval(secs => $11::float8))::date > $12::date) is not true
          and extract(hour from ("t1"."at" at time zone make_interval(secs => $13::float8)))::int = $14::bigint
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $15::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($16::int[], $17::int[]) as spans(first, last)
    ) as "d4"
    where extract(isodow from (date '1970-01-01' + "d4"."number"))::int = any($18::bigint[])
      and (to_char((date '1970-01-01' + "d4"."number"), 'YYYY-MM') = $19::text or date_trunc('week', (date '1970-01-01' + "d4"."number")::timestamp)::date = $20::date)
      and ((date '1970-01-01' + "d4"."number") > $21::date) is not true
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($22::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $23;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = 32400  $6 = [6,7]  $7 = 32400  $8 = "2026-05"  $9 = 32400  $10 = "2026-06-01"  $11 = 32400
-- $12 = "2026-05-10"  $13 = 32400  $14 = 23  $15 = 0  $16 = [20574]  $17 = [20604]  $18 = [6,7]
-- $19 = "2026-05"  $20 = "2026-06-01"  $21 = "2026-05-10"  $22 = "too many periods to fill: v "  $23 = 1000

-- ## a filter that also reads another column keeps all periods
select to_char("s10"."c1", 'YYYY-MM-DD') as "r1", "s10"."c2" as "r2", count(*) over () as "r3"
from (
  select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2"
  from (with "g6" as materialized (
    select "period"."value" as "c1", "s4"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s3"."c1" as "c1", "s3"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        left join "analytics"."page" as "d2" on "d2"."site_id" = $4::smallint
          and "d2"."page_id" = "t1"."page_id"
        where "t1"."site_id" = $5::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
          and (("t1"."at" at time zone make_interval(secs => $6::float8))::date = $7::date or "d2"."url" = $8::text)
      ) as "s3"
    ) as "s4"
    where "s4"."c2" > $9::bigint
  ), "o7" as materialized (
    select 1
  ), "p8" as materialized (
    select (date '1970-01-01' + "d5"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($10::int[], $11::int[]) as spans(first, last)
    ) as "d5"
  ) select "c1", "c2" from "g6" union all select "c1", null from "o7" cross join "p8" where (
    select case when cells > 1000000 then (concat($12::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o7"
      ) * (
        select count(*)
        from "p8"
      ) as cells
    ) as counted
  ) = 0) as "u9"
  group by 1
) as "s10"
order by "s10"."c1" asc nulls last
limit $13;
-- $1 = ["2026-05-01","2026-05-02"]  $2 = [1777561200,1777647600]  $3 = [1777647600,1777734000]  $4 = 1  $5 = 1
-- $6 = 32400  $7 = "2026-05-01"  $8 = "/b"  $9 = 0  $10 = [20574]  $11 = [20575]
-- $12 = "too many periods to fill: v "  $13 = 1000

-- ## periods are filled before sort, top and count
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $5::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c2" asc nulls last, "s9"."c1" desc nulls last
limit $9;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = 0  $6 = [20574]  $7 = [20604]  $8 = "too many periods to fill: v "  $9 = 2

-- ## the count includes the filled rows
select "s11"."c1"
from (
  select count(*) as "c1"
  from (
    select "u9"."c1" as "c1", "u9"."c2" as "c2"
    from (with "g6" as materialized (
      select "d4"."device_type" as "c1", "period"."value" as "c2"
      from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
      cross join lateral (
        select "s2"."c1" as "c1"
        from (
          select "t1"."device_id" as "c1"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $4::smallint
            and "t1"."at" >= to_timestamp("period"."first")
            and "t1"."at" < to_timestamp("period"."last")
          group by 1
        ) as "s2"
      ) as "s3"
      left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
    ), "o7" as materialized (
      select distinct "c1"
      from "g6"
    ), "p8" as materialized (
      select (date '1970-01-01' + "d5"."number") as "c2"
      from (
        select generate_series(first, last) as number
        from unnest($5::int[], $6::int[]) as spans(first, last)
      ) as "d5"
    ) select "c1", "c2" from "g6" union all select "c1", "c2" from "o7" cross join "p8" where (
      select case when cells > 1000000 then (concat($7::text, cells))::int else 0 end
      from (
        select (
          select count(*)
          from "o7"
        ) * (
          select count(*)
          from "p8"
        ) as cells
      ) as counted
    ) = 0) as "u9"
    group by 1, 2
  ) as "s10"
) as "s11";
-- $1 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $3 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $4 = 1  $5 = [20574]  $6 = [20604]  $7 = "too many periods to fill: v "

-- ## a later view reads the filled rows
select "s12"."c1" as "r1", "s12"."c5"::float8 as "r2", "s12"."c2" as "r3", count(*) over () as "r4"
from (
  select "s11"."c1" as "c1", "s11"."c2" as "c2", "s11"."c3" as "c3", "s11"."c4" as "c4", ("s11"."c5" * round(1::numeric, 50) / "s11"."c6")::float8 as "c5"
  from (
    select "s10"."c1" as "c1", "s10"."c2" as "c2", "s10"."c3" as "c3", "s10"."c4" as "c4", ("s10"."c3")::numeric as "c5",
      nullif(("s10"."c4")::numeric, 0) as "c6"
    from (
      select count(*) as "c1", count(case when "s9"."c2" = $1::bigint then "s9"."c2" end) as "c2",
        coalesce(sum("s9"."c2"), 0) as "c3", count(*) as "c4"
      from (
        select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
        from (with "g5" as materialized (
          select "period"."value" as "c1", "s3"."c1" as "c2"
          from unnest($2::date[], $3::float8[], $4::float8[]) as "period"(value, first, last)
          cross join lateral (
            select "s2"."c1" as "c1", "s2"."c2" as "c2"
            from (
              select count(*) as "c1", count(*) as "c2"
              from "analytics"."page_view" as "t1"
              where "t1"."site_id" = $5::smallint
                and "t1"."at" >= to_timestamp("period"."first")
                and "t1"."at" < to_timestamp("period"."last")
            ) as "s2"
          ) as "s3"
          where "s3"."c2" > $6::bigint
        ), "o6" as materialized (
          select 1
        ), "p7" as materialized (
          select (date '1970-01-01' + "d4"."number") as "c1"
          from (
            select generate_series(first, last) as number
            from unnest($7::int[], $8::int[]) as spans(first, last)
          ) as "d4"
        ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
          select case when cells > 1000000 then (concat($9::text, cells))::int else 0 end
          from (
            select (
              select count(*)
              from "o6"
            ) * (
              select count(*)
              from "p7"
            ) as cells
          ) as counted
        ) = 0) as "u8"
        group by 1
      ) as "s9"
    ) as "s10"
  ) as "s11"
) as "s12"
limit $10;
-- $1 = 0
-- $2 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $3 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $4 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $5 = 1  $6 = 0  $7 = [20574]  $8 = [20604]  $9 = "too many periods to fill: days "  $10 = 1000

-- ## a period that an earlier view keeps
select to_char("s10"."c1", 'YYYY-MM-DD') as "r1", "s10"."c2" as "r2", count(*) over () as "r3"
from (
  select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2"
  from (with "g6" as materialized (
    select "s4"."c1" as "c1", "s4"."c2" as "c2"
    from (
      select "period"."value" as "c1", count(*) as "c2"
      from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
      cross join lateral (
        select "s2"."c2" as "c1"
        from (
          select "t1"."session_id" as "c1", count(*) as "c2"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $4::smallint
            and "t1"."at" >= to_timestamp("period"."first")
            and "t1"."at" < to_timestamp("period"."last")
          group by 1
        ) as "s2"
      ) as "s3"
      where "s3"."c1" >= $5::bigint
      group by 1
    ) as "s4"
  ), "o7" as materialized (
    select 1
  ), "p8" as materialized (
    select (date '1970-01-01' + "d5"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d5"
  ) select "c1", "c2" from "g6" union all select "c1", null from "o7" cross join "p8" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o7"
      ) * (
        select count(*)
        from "p8"
      ) as cells
    ) as counted
  ) = 0) as "u9"
  group by 1
) as "s10"
order by "s10"."c1" asc nulls last
limit $9;
-- $1 = ["2026-05-01","2026-05-02","2026-05-03"]  $2 = [1777561200,1777647600,1777734000]
-- $3 = [1777647600,1777734000,1777820400]  $4 = 1  $5 = 2  $6 = [20574]  $7 = [20576]
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## the periods of the joined side, in addition to rows without a match
select to_char("s10"."c1", 'YYYY-MM-DD') as "r1", "s10"."c2" as "r2", "s10"."c3" as "r3", count(*) over () as "r4"
from (
  select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2", coalesce(max("u9"."c3"), 0) as "c3"
  from (with "g6" as materialized (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3"
    from (
      select "s3"."c1" as "c1", count("s3"."c2") as "c2", count(distinct "t1"."pv_id") as "c3"
      from "analytics"."page_view" as "t1"
      left join (
        select ("t2"."at" at time zone make_interval(secs => $1::float8))::date as "c1", "t2"."pv_id" as "c2"
        from "analytics"."click" as "t2"
        where "t2"."site_id" = $2::smallint
          and "t2"."at" >= to_timestamp($3::float8)
          and "t2"."at" < to_timestamp($4::float8)
      ) as "s3" on "t1"."pv_id" = "s3"."c2"
      where "t1"."site_id" = $5::smallint
        and "t1"."at" >= to_timestamp($6::float8)
        and "t1"."at" < to_timestamp($7::float8)
      group by 1
    ) as "s4"
  ), "o7" as materialized (
    select 1
  ), "p8" as materialized (
    select (date '1970-01-01' + "d5"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($8::int[], $9::int[]) as spans(first, last)
    ) as "d5"
  ) select "c1", "c2", "c3" from "g6" union all select "c1", null, null from "o7" cross join "p8" where (
    select case when cells > 1000000 then (concat($10::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o7"
      ) * (
        select count(*)
        from "p8"
      ) as cells
    ) as counted
  ) = 0) as "u9"
  group by 1
) as "s10"
order by "s10"."c1" asc nulls last
limit $11;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1777734000  $5 = 1  $6 = 1777561200  $7 = 1777734000  $8 = [20574]
-- $9 = [20575]  $10 = "too many periods to fill: v "  $11 = 1000

-- ## no periods of the joined side if nothing can satisfy the filter
select to_char("s10"."c1", 'YYYY-MM-DD') as "r1", "s10"."c2" as "r2", count(*) over () as "r3"
from (
  select "u9"."c1" as "c1", coalesce(max("u9"."c2"), 0) as "c2"
  from (with "g6" as materialized (
    select "s4"."c1" as "c1", "s4"."c2" as "c2"
    from (
      select "s3"."c1" as "c1", count("s3"."c2") as "c2"
      from "analytics"."page_view" as "t1"
      left join (
        select ("t2"."at" at time zone make_interval(secs => $1::float8))::date as "c1", "t2"."pv_id" as "c2"
        from "analytics"."click" as "t2"
        where "t2"."site_id" = $2::smallint
          and "t2"."at" >= to_timestamp($3::float8)
          and "t2"."at" < to_timestamp($4::float8)
      ) as "s3" on "t1"."pv_id" = "s3"."c2"
      where "t1"."site_id" = $5::smallint
        and "t1"."at" >= to_timestamp($6::float8)
        and "t1"."at" < to_timestamp($7::float8)
        and (true) is not true
      group by 1
    ) as "s4"
  ), "o7" as materialized (
    select 1
  ), "p8" as materialized (
    select (date '1970-01-01' + "d5"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($8::int[], $9::int[]) as spans(first, last)
    ) as "d5"
    where (true) is not true
  ) select "c1", "c2" from "g6" union all select "c1", null from "o7" cross join "p8" where (
    select case when cells > 1000000 then (concat($10::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o7"
      ) * (
        select count(*)
        from "p8"
      ) as cells
    ) as counted
  ) = 0) as "u9"
  group by 1
) as "s10"
order by "s10"."c1" asc nulls last
limit $11;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1777734000  $5 = 1  $6 = 1777561200  $7 = 1777734000  $8 = [20574]
-- $9 = [20575]  $10 = "too many periods to fill: v "  $11 = 1000

-- ## periods of search rows are filled if they begin in the range
select to_char("s8"."c1", 'YYYY-MM-DD') as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select "t1"."day" as "c1", coalesce(sum("t1"."clicks"), 0) as "c2"
      from "analytics"."search_day" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."day" >= $2::date
        and "t1"."day" < $3::date
        and to_char("t1"."day", 'YYYY-MM') = $4::text
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select (date '1970-01-01' + "d3"."number") as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($5::int[], $6::int[]) as spans(first, last)
    ) as "d3"
    where to_char((date '1970-01-01' + "d3"."number"), 'YYYY-MM') = $7::text
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
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
limit $9;
-- $1 = 1  $2 = "2026-05-02"  $3 = "2026-05-05"  $4 = "2026-05"  $5 = [20575]  $6 = [20577]  $7 = "2026-05"
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## a GA4 month is not filled unless its first day is in the range
select "s8"."c1" as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select to_char("t1"."month", 'YYYY-MM') as "c1", coalesce(sum("t1"."sessions"), 0) as "c2"
      from "analytics"."ga4_country" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."month" >= $2::date
        and "t1"."month" < $3::date
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select to_char(make_date("d3"."number" / 12, "d3"."number" % 12 + 1, 1), 'YYYY-MM') as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($4::int[], $5::int[]) as spans(first, last)
    ) as "d3"
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($6::text, cells))::int else 0 end
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
order by "s8"."c1" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = "2026-04-02"  $3 = "2026-07-01"  $4 = [24316]  $5 = [24317]  $6 = "too many periods to fill: v "
-- $7 = 1000

-- ## GA4 dates are the first days of months
select to_char("s8"."c1", 'YYYY-MM-DD') as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select "t1"."month" as "c1", coalesce(sum("t1"."sessions"), 0) as "c2"
      from "analytics"."ga4_country" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."month" >= $2::date
        and "t1"."month" < $3::date
        and to_char("t1"."month", 'YYYY-MM') is distinct from $4::text
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select make_date("d3"."number" / 12, "d3"."number" % 12 + 1, 1) as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($5::int[], $6::int[]) as spans(first, last)
    ) as "d3"
    where to_char(make_date("d3"."number" / 12, "d3"."number" % 12 + 1, 1), 'YYYY-MM') is distinct from $7::text
  ) select "c1", "c2" from "g4" union all select "c1", null from "o5" cross join "p6" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
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
limit $9;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-07-02"  $4 = "2026-07"  $5 = [24316]  $6 = [24318]  $7 = "2026-07"
-- $8 = "too many periods to fill: v "  $9 = 1000

-- ## under all, each site that has rows is filled
select "s10"."c1" as "r1", to_char("s10"."c3", 'YYYY-MM-DD') as "r2", "s10"."c4" as "r3", count(*) over () as "r4"
from (
  select "u9"."c1" as "c1", "u9"."c2" as "c2", "u9"."c3" as "c3", coalesce(max("u9"."c4"), 0) as "c4"
  from (with "g6" as materialized (
    select "d4"."tracking_id" as "c1", "s3"."c1" as "c2", "period"."value" as "c3", "s3"."c2" as "c4"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select "t1"."site_id" as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = any($4::smallint[])
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
        group by 1
      ) as "s2"
    ) as "s3"
    left join "analytics"."site" as "d4" on "d4"."site_id" = "s3"."c1"
  ), "o7" as materialized (
    select distinct "c1", "c2"
    from "g6"
  ), "p8" as materialized (
    select (date '1970-01-01' + "d5"."number") as "c3"
    from (
      select generate_series(first, last) as number
      from unnest($5::int[], $6::int[]) as spans(first, last)
    ) as "d5"
  ) select "c1", "c2", "c3", "c4" from "g6" union all select "c1", "c2", "c3", null from "o7" cross join "p8" where (
    select case when cells > 1000000 then (concat($7::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o7"
      ) * (
        select count(*)
        from "p8"
      ) as cells
    ) as counted
  ) = 0) as "u9"
  group by 1, 2, 3
) as "s10"
order by "s10"."c1" collate "C" asc nulls last, "s10"."c3" asc nulls last, "s10"."c2" asc nulls last
limit $8;
-- $1 = ["2026-05-01","2026-05-02"]  $2 = [1777561200,1777647600]  $3 = [1777647600,1777734000]  $4 = [1,2,3]
-- $5 = [20574]  $6 = [20575]  $7 = "too many periods to fill: v "  $8 = 1000

-- ## under all, equal ids from different sites are distinct
select to_char("s9"."c3", 'YYYY-MM-DD') as "r1", "s9"."c1" as "r2", "s9"."c4" as "r3", count(*) over () as "r4"
from (
  select "u8"."c1" as "c1", "u8"."c2" as "c2", "u8"."c3" as "c3", coalesce(max("u8"."c4"), 0) as "c4"
  from (with "g5" as materialized (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", "period"."value" as "c3", "s3"."c3" as "c4"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3"
      from (
        select "t1"."session_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = any($4::smallint[])
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
          and "t1"."session_id" = $5::bigint
        group by 1, 2
      ) as "s2"
    ) as "s3"
  ), "o6" as materialized (
    select distinct "c1", "c2"
    from "g5"
  ), "p7" as materialized (
    select (date '1970-01-01' + "d4"."number") as "c3"
    from (
      select generate_series(first, last) as number
      from unnest($6::int[], $7::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2", "c3", "c4" from "g5" union all select "c1", "c2", "c3", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($8::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1, 2, 3
) as "s9"
order by "s9"."c3" asc nulls last, "s9"."c1" asc nulls last, "s9"."c2" asc nulls last
limit $9;
-- $1 = ["2026-05-01","2026-05-02"]  $2 = [1777561200,1777647600]  $3 = [1777647600,1777734000]  $4 = [1,2,3]
-- $5 = 10  $6 = [20574]  $7 = [20575]  $8 = "too many periods to fill: v "  $9 = 1000

-- ## no day is before the year 1
select to_char("s8"."c1", 'YYYY-MM-DD') as "r1", "s8"."c2" as "r2", count(*) over () as "r3"
from (
  select "u7"."c1" as "c1", coalesce(max("u7"."c2"), 0) as "c2"
  from (with "g4" as materialized (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select ("t1"."at" at time zone make_interval(secs => $1::float8))::date as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
      group by 1
    ) as "s2"
  ), "o5" as materialized (
    select 1
  ), "p6" as materialized (
    select (date '1970-01-01' + "d3"."number") as "c1"
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
-- $1 = 0  $2 = 1  $3 = -62135769600  $4 = -62135424000  $5 = [-719162]  $6 = [-719161]
-- $7 = "too many periods to fill: v "  $8 = 1000
