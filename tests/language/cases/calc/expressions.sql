-- ## division keeps decimals, even for whole numbers
select "s5"."c3"::float8 as "r1", "s5"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 50) / "s4"."c4")::float8 as "c3",
    ("s4"."c5" * round(1::numeric, 35) / "s4"."c6")::float8 as "c4"
  from (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c1")::numeric as "c3", nullif(("s3"."c2")::numeric, 0) as "c4",
      ("s3"."c1")::numeric as "c5", nullif((4)::numeric, 0) as "c6"
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

-- ## parentheses are evaluated first, then * and /, then + and -, from left to right
select "s4"."c2"::float8 as "r1", "s4"."c3"::float8 as "r2", "s4"."c4"::float8 as "r3", "s4"."c5"::float8 as "r4",
  "s4"."c6"::float8 as "r5", "s4"."c7"::float8 as "r6", "s4"."c8"::float8 as "r7", count(*) over () as "r8"
from (
  select "s3"."c1" as "c1", ("s3"."c2" * round(1::numeric, 21) / "s3"."c3")::float8 as "c2",
    ("s3"."c4" * round(1::numeric, 21) / "s3"."c5")::float8 as "c3", ("s3"."c6" * round(1::numeric, 50) / "s3"."c7")::float8 as "c4",
    ("s3"."c8" * round(1::numeric, 21) / "s3"."c9")::float8 as "c5", ("s3"."c10" * round(1::numeric, 35) / "s3"."c11")::float8 as "c6",
    ("s3"."c12" * round(1::numeric, 21) / "s3"."c13")::float8 as "c7", ("s3"."c14" * round(1::numeric, 21) / "s3"."c15")::float8 as "c8"
  from (
    select "s2"."c1" as "c1", ((2)::numeric + (("s2"."c1")::numeric * (3)::numeric)) as "c2",
      (1)::numeric as "c3", (((2)::numeric + ("s2"."c1")::numeric) * (3)::numeric) as "c4",
      (1)::numeric as "c5", ("s2"."c1")::numeric as "c6", (nullif((2)::numeric, 0) * nullif((3)::numeric, 0)) as "c7",
      ((("s2"."c1")::numeric - (3)::numeric) - (2)::numeric) as "c8", (1)::numeric as "c9",
      (("s2"."c1")::numeric * nullif((2)::numeric, 0)) as "c10", nullif((3)::numeric, 0) as "c11",
      (((0)::numeric - ("s2"."c1")::numeric) + (1)::numeric) as "c12", (1)::numeric as "c13",
      ((2)::numeric * ((0)::numeric - ("s2"."c1")::numeric)) as "c14", (1)::numeric as "c15"
    from (
      select count(*) as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## intermediate results are not rounded
select "s5"."c5"::float8 as "r1", "s5"."c6"::float8 as "r2", "s5"."c7"::float8 as "r3", "s5"."c8"::float8 as "r4",
  "s5"."c9"::float8 as "r5", count(*) over () as "r6"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", ("s4"."c5" * round(1::numeric, 23) / "s4"."c6")::float8 as "c5",
    ("s4"."c7" * round(1::numeric, 35) / "s4"."c8")::float8 as "c6", ("s4"."c9" * round(1::numeric, 35) / "s4"."c10")::float8 as "c7",
    ("s4"."c11" * round(1::numeric, 50) / "s4"."c12")::float8 as "c8", ("s4"."c13" * round(1::numeric, 35) / "s4"."c14")::float8 as "c9"
  from (
    select "s3"."c1" as "c1", "s3"."c4" as "c2", "s3"."c2" as "c3", "s3"."c3" as "c4", (((1)::numeric * ("s3"."c1")::numeric) + (2)::numeric) as "c5",
      ((1)::numeric * 10) as "c6", (("s3"."c1")::numeric * (100)::numeric) as "c7", nullif((100)::numeric, 0) as "c8",
      (("s3"."c4")::numeric * (3)::numeric) as "c9", nullif((3)::numeric, 0) as "c10", (("s3"."c2")::numeric * (6)::numeric) as "c11",
      nullif(("s3"."c3")::numeric, 0) as "c12", (((7)::numeric * ("s3"."c4")::numeric) * (100)::numeric) as "c13",
      nullif((500)::numeric, 0) as "c14"
    from (
      select coalesce(sum("s2"."c2"), 0) as "c1", coalesce(sum("s2"."c3"), 0) as "c2", coalesce(sum("s2"."c4"), 0) as "c3",
        count("s2"."c1") as "c4"
      from (
        select "t1"."session_id" as "c1", count(*) as "c2", coalesce(sum("t1"."is_last"::int), 0) as "c3",
          count(*) as "c4"
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

-- ## a quotient of large numbers is rounded once
select "s6"."c1" as "r1", "s6"."c5"::float8 as "r2", "s6"."c6"::float8 as "r3", count(*) over () as "r4"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", "s5"."c4" as "c4", ("s5"."c5" * round(1::numeric, 95) / "s5"."c6")::float8 as "c5",
    ("s5"."c7" * round(1::numeric, 50) / "s5"."c8")::float8 as "c6"
  from (
    select "d4"."device_type" as "c1", "s3"."c2" as "c2", "s3"."c4" as "c3", "s3"."c3" as "c4",
      ((("s3"."c2")::numeric * (999999999)::numeric) * (999999999)::numeric) as "c5", nullif((((("s3"."c4")::numeric * (999999999)::numeric) * (999999999)::numeric) * (7)::numeric), 0) as "c6",
      ((("s3"."c3")::numeric * (999999999)::numeric) * (999999999)::numeric) as "c7", nullif(((999999999)::numeric * (999999999)::numeric), 0) as "c8"
    from (
      select "s2"."c1" as "c1", coalesce(sum("s2"."c3"), 0) as "c2", max("s2"."c4") as "c3",
        count("s2"."c2") as "c4"
      from (
        select "t1"."device_id" as "c1", "t1"."session_id" as "c2", count(*) as "c3", max("t1"."browse_sec") as "c4"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
        group by 1, 2
      ) as "s2"
      group by 1
    ) as "s3"
    left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
  ) as "s5"
) as "s6"
order by "s6"."c1" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a divisor of 0 anywhere in a calc makes the result null
select "s4"."c4"::float8 as "r1", "s4"."c5"::float8 as "r2", "s4"."c6"::float8 as "r3", "s4"."c7"::float8 as "r4",
  "s4"."c8"::float8 as "r5", "s4"."c9"::float8 as "r6", count(*) over () as "r7"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 50) / "s3"."c5")::float8 as "c4",
    ("s3"."c6" * round(1::numeric, 50) / "s3"."c7")::float8 as "c5", ("s3"."c8" * round(1::numeric, 50) / "s3"."c9")::float8 as "c6",
    ("s3"."c10" * round(1::numeric, 35) / "s3"."c11")::float8 as "c7", ("s3"."c12" * round(1::numeric, 51) / "s3"."c13")::float8 as "c8",
    ("s3"."c14" * round(1::numeric, 36) / "s3"."c15")::float8 as "c9"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", (1)::numeric as "c4", nullif(("s2"."c1")::numeric, 0) as "c5",
      ("s2"."c1")::numeric as "c6", nullif(("s2"."c2")::numeric, 0) as "c7", ((0)::numeric * (1)::numeric) as "c8",
      nullif(("s2"."c1")::numeric, 0) as "c9", ((1)::numeric * nullif(("s2"."c1")::numeric, 0)) as "c10",
      nullif((1)::numeric, 0) as "c11", ("s2"."c3")::numeric as "c12", nullif((("s2"."c1")::numeric - ("s2"."c2")::numeric), 0) as "c13",
      ("s2"."c1")::numeric as "c14", nullif(((0)::numeric - (2)::numeric), 0) as "c15"
    from (
      select count(*) as "c1", count(*) as "c2", coalesce(sum("t1"."browse_sec"), 0) as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
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
    ) as "s2"
  ) as "s3"
) as "s4"
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "13bd630a78b3536047112915a0efa449"  $6 = "nowhere"
-- $7 = 1  $8 = "13bd630a78b3536047112915a0efa449"  $9 = "nowhere"  $10 = 1000

-- ## a null operand makes the result null
select "s5"."c1" as "r1", "s5"."c8"::float8 as "r2", "s5"."c9"::float8 as "r3", "s5"."c10"::float8 as "r4",
  "s5"."c11"::float8 as "r5", count(*) over () as "r6"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", "s4"."c5" as "c5",
    "s4"."c6" as "c6", "s4"."c7" as "c7", ("s4"."c8" * round(1::numeric, 50) / "s4"."c9")::float8 as "c8",
    ("s4"."c10" * round(1::numeric, 21) / "s4"."c11")::float8 as "c9", ("s4"."c12" * round(1::numeric, 65) / "s4"."c13")::float8 as "c10",
    ("s4"."c14" * round(1::numeric, 21) / "s4"."c15")::float8 as "c11"
  from (
    select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4",
      "s2"."c5" as "c5", "s2"."c6" as "c6", "s2"."c7" as "c7", (((1)::numeric * nullif(("s2"."c3")::numeric, 0)) + ("s2"."c2")::numeric) as "c8",
      nullif(("s2"."c3")::numeric, 0) as "c9", (("s2"."c4")::numeric - ("s2"."c5")::numeric) as "c10",
      (1)::numeric as "c11", ("s2"."c6")::numeric as "c12", (nullif(("s2"."c7")::numeric, 0) * nullif((100)::numeric, 0)) as "c13",
      ((0)::numeric * ("s2"."c4")::numeric) as "c14", (1)::numeric as "c15"
    from (
      select "t1"."device_id" as "c1", coalesce(sum("t1"."browse_sec"), 0) as "c2", count("t1"."browse_sec") as "c3",
        max("t1"."browse_sec") as "c4", min("t1"."browse_sec") as "c5", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c6",
        count(*) as "c7"
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

-- ## calls to several functions, and a single call as a calc
select "s4"."c1" as "r1", "s4"."c7"::float8 as "r2", "s4"."c8"::float8 as "r3", "s4"."c9"::float8 as "r4",
  "s4"."c10"::float8 as "r5", count(*) over () as "r6"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", "s3"."c5" as "c5",
    "s3"."c6" as "c6", ("s3"."c7" * round(1::numeric, 50) / "s3"."c8")::float8 as "c7", ("s3"."c9" * round(1::numeric, 80) / "s3"."c10")::float8 as "c8",
    ("s3"."c11" * round(1::numeric, 65) / "s3"."c12")::float8 as "c9", ("s3"."c13" * round(1::numeric, 50) / "s3"."c14")::float8 as "c10"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", "s2"."c5" as "c5",
      "s2"."c6" as "c6", ("s2"."c1")::numeric as "c7", nullif(("s2"."c2")::numeric, 0) as "c8",
      ((("s2"."c1")::numeric * nullif(("s2"."c2")::numeric, 0)) - (("s2"."c1")::numeric * nullif(("s2"."c2")::numeric, 0))) as "c9",
      (nullif(("s2"."c2")::numeric, 0) * nullif(("s2"."c2")::numeric, 0)) as "c10", (("s2"."c3")::numeric * nullif((100)::numeric, 0)) as "c11",
      (nullif(("s2"."c4")::numeric, 0) * nullif((100)::numeric, 0)) as "c12", ((100)::numeric * ("s2"."c5")::numeric) as "c13",
      nullif(("s2"."c6")::numeric, 0) as "c14"
    from (
      select coalesce(sum("t1"."browse_sec"), 0) as "c1", count("t1"."browse_sec") as "c2",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 90) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 90) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 90) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 90) % 100)) as "c3",
        (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c4",
        coalesce(sum("t1"."is_last"::int), 0) as "c5", count(*) as "c6"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a view sorts, limits and filters by a calc
select "s7"."c1" as "r1", "s7"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select "d6"."url" as "c1", "s5"."c1" as "c2"
  from (
    (
      select "s4"."c4" as "c1", "s4"."c1" as "c2"
      from (
        select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", ("s3"."c4" * round(1::numeric, 50) / "s3"."c5")::float8 as "c4"
        from (
          select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c2")::numeric as "c4",
            nullif(("s2"."c3")::numeric, 0) as "c5"
          from (
            select "t1"."page_id" as "c1", coalesce(sum("t1"."browse_sec"), 0) as "c2", count(*) as "c3"
            from "analytics"."page_view" as "t1"
            where "t1"."site_id" = $1::smallint
              and "t1"."at" >= to_timestamp($2::float8)
              and "t1"."at" < to_timestamp($3::float8)
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
  limit $6
) as "s7"
where "s7"."c2" < $7::bigint
order by "s7"."c2" asc nulls last, "s7"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1  $6 = 3  $7 = 60  $8 = 1000

-- ## a calc of a calc uses rounded numbers
select "s8"."c1"::float8 as "r1", "s8"."c2"::float8 as "r2", "s8"."c3"::float8 as "r3", count(*) over () as "r4"
from (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", ("s7"."c3" * round(1::numeric, 21) / "s7"."c4")::float8 as "c3"
  from (
    select "s6"."c1" as "c1", "s6"."c2" as "c2", ("s6"."c3" * (2)::numeric) as "c3", (1)::numeric as "c4"
    from (
      select "s5"."c1" as "c1", "s5"."c2" as "c2", ("s5"."c1")::text::numeric as "c3"
      from (
        select coalesce(sum("s4"."c2"::text::numeric), 0) as "c1", max("s4"."c2") as "c2"
        from (
          select "s3"."c1" as "c1", ("s3"."c2" * round(1::numeric, 35) / "s3"."c3")::float8 as "c2"
          from (
            select "s2"."c2" as "c1", ("s2"."c2")::numeric as "c2", nullif((3)::numeric, 0) as "c3"
            from (
              select "t1"."page_id" as "c1", count(*) as "c2"
              from "analytics"."page_view" as "t1"
              where "t1"."site_id" = $1::smallint
                and "t1"."at" >= to_timestamp($2::float8)
                and "t1"."at" < to_timestamp($3::float8)
              group by 1
            ) as "s2"
          ) as "s3"
        ) as "s4"
      ) as "s5"
    ) as "s6"
  ) as "s7"
) as "s8"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## parentheses around a single call have no effect, not even on its type
select to_char(("s2"."c1" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select min("t1"."at") as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
) as "s2"
limit $5;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## counting rows skips the calcs
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

-- ## a number without a digit before the decimal point, an exponent, and a minus after another operator
select "s4"."c2"::float8 as "r1", "s4"."c3"::float8 as "r2", "s4"."c4"::float8 as "r3", "s4"."c5"::float8 as "r4",
  "s4"."c6"::float8 as "r5", count(*) over () as "r6"
from (
  select "s3"."c1" as "c1", ("s3"."c2" * round(1::numeric, 23) / "s3"."c3")::float8 as "c2",
    ("s3"."c4" * round(1::numeric, 21) / "s3"."c5")::float8 as "c3", ("s3"."c6" * round(1::numeric, 26) / "s3"."c7")::float8 as "c4",
    ("s3"."c8" * round(1::numeric, 21) / "s3"."c9")::float8 as "c5", ("s3"."c10" * round(1::numeric, 37) / "s3"."c11")::float8 as "c6"
  from (
    select "s2"."c1" as "c1", ((5)::numeric * ("s2"."c1")::numeric) as "c2", ((1)::numeric * 10) as "c3",
      ((1000)::numeric * ("s2"."c1")::numeric) as "c4", (1)::numeric as "c5", ((25)::numeric * ("s2"."c1")::numeric) as "c6",
      ((1)::numeric * 10000) as "c7", (("s2"."c1")::numeric * ((0)::numeric - (1)::numeric)) as "c8",
      (1)::numeric as "c9", (((1)::numeric * nullif(((0)::numeric - ((2)::numeric + (1)::numeric)), 0)) - ((0)::numeric - ("s2"."c1")::numeric)) as "c10",
      nullif(((0)::numeric - ((2)::numeric + (1)::numeric)), 0) as "c11"
    from (
      select count(*) as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
