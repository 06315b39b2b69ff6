-- ## division keeps decimals, even for whole numbers
select ("s4"."c3" * round(1::numeric, 50) / nullif("s4"."c4", 0))::float8::float8 as "r1", ("s4"."c3" * round(1::numeric, 35) / nullif((4)::numeric, 0))::float8::float8 as "r2",
  count(*) over () as "r3"
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

-- ## * and / are evaluated before + and -, from left to right, and parentheses first
select (((2)::numeric + ("s3"."c2" * (3)::numeric)) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r1",
  ((((2)::numeric + "s3"."c2") * (3)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r2",
  ("s3"."c2" * round(1::numeric, 50) / (nullif((2)::numeric, 0) * nullif((3)::numeric, 0)))::float8::float8 as "r3",
  ((("s3"."c2" - (3)::numeric) - (2)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r4",
  (("s3"."c2" * nullif((2)::numeric, 0)) * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::float8 as "r5",
  ((((0)::numeric - "s3"."c2") + (1)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r6",
  (((2)::numeric * ((0)::numeric - "s3"."c2")) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r7",
  count(*) over () as "r8"
from (
  select "s2"."c1" as "c1", ("s2"."c1")::numeric as "c2"
  from (
    select count(*) as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s2"
) as "s3"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## intermediate results are not rounded
select ((((1)::numeric * "s4"."c5") + (2)::numeric) * round(1::numeric, 23) / ((1)::numeric * 10))::float8::float8 as "r1",
  (("s4"."c5" * (100)::numeric) * round(1::numeric, 35) / nullif((100)::numeric, 0))::float8::float8 as "r2",
  (("s4"."c6" * (3)::numeric) * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::float8 as "r3",
  (("s4"."c7" * (6)::numeric) * round(1::numeric, 50) / nullif("s4"."c8", 0))::float8::float8 as "r4",
  ((((7)::numeric * "s4"."c6") * (100)::numeric) * round(1::numeric, 35) / nullif((500)::numeric, 0))::float8::float8 as "r5",
  count(*) over () as "r6"
from (
  select "s3"."c1" as "c1", "s3"."c4" as "c2", "s3"."c2" as "c3", "s3"."c3" as "c4", ("s3"."c1")::numeric as "c5",
    ("s3"."c4")::numeric as "c6", ("s3"."c2")::numeric as "c7", ("s3"."c3")::numeric as "c8"
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
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a quotient of large numbers is rounded once
select "s5"."c1" as "r1", ((("s5"."c5" * (999999999)::numeric) * (999999999)::numeric) * round(1::numeric, 95) / nullif(((("s5"."c6" * (999999999)::numeric) * (999999999)::numeric) * (7)::numeric), 0))::float8::float8 as "r2",
  ((("s5"."c7" * (999999999)::numeric) * (999999999)::numeric) * round(1::numeric, 50) / nullif(((999999999)::numeric * (999999999)::numeric), 0))::float8::float8 as "r3",
  count(*) over () as "r4"
from (
  select "d4"."device_type" as "c1", "s3"."c2" as "c2", "s3"."c4" as "c3", "s3"."c3" as "c4",
    ("s3"."c2")::numeric as "c5", ("s3"."c4")::numeric as "c6", ("s3"."c3")::numeric as "c7"
  from (
    select "s2"."c1" as "c1", coalesce(sum("s2"."c3"), 0) as "c2", max("s2"."c4") as "c3", count("s2"."c2") as "c4"
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
order by "s5"."c1" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a divisor of 0 anywhere in a calc makes the result null
select ((1)::numeric * round(1::numeric, 50) / nullif("s3"."c4", 0))::float8::float8 as "r1",
  ("s3"."c4" * round(1::numeric, 50) / nullif("s3"."c5", 0))::float8::float8 as "r2", (((0)::numeric * (1)::numeric) * round(1::numeric, 50) / nullif("s3"."c4", 0))::float8::float8 as "r3",
  (((1)::numeric * nullif("s3"."c4", 0)) * round(1::numeric, 35) / nullif((1)::numeric, 0))::float8::float8 as "r4",
  ("s3"."c6" * round(1::numeric, 51) / nullif(("s3"."c4" - "s3"."c5"), 0))::float8::float8 as "r5",
  ("s3"."c4" * round(1::numeric, 36) / nullif(((0)::numeric - (2)::numeric), 0))::float8::float8 as "r6",
  count(*) over () as "r7"
from (
  select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c1")::numeric as "c4",
    ("s2"."c2")::numeric as "c5", ("s2"."c3")::numeric as "c6"
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
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "13bd630a78b3536047112915a0efa449"  $6 = "nowhere"
-- $7 = 1  $8 = "13bd630a78b3536047112915a0efa449"  $9 = "nowhere"  $10 = 1000

-- ## a null operand makes the result null
select "s4"."c1" as "r1", ((((1)::numeric * nullif("s4"."c9", 0)) + "s4"."c8") * round(1::numeric, 50) / nullif("s4"."c9", 0))::float8::float8 as "r2",
  (("s4"."c10" - "s4"."c11") * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r3",
  ("s4"."c12" * round(1::numeric, 65) / (nullif("s4"."c13", 0) * nullif((100)::numeric, 0)))::float8::float8 as "r4",
  (((0)::numeric * "s4"."c10") * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r5",
  count(*) over () as "r6"
from (
  select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4",
    "s2"."c5" as "c5", "s2"."c6" as "c6", "s2"."c7" as "c7", ("s2"."c2")::numeric as "c8", ("s2"."c3")::numeric as "c9",
    ("s2"."c4")::numeric as "c10", ("s2"."c5")::numeric as "c11", ("s2"."c6")::numeric as "c12",
    ("s2"."c7")::numeric as "c13"
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
order by "s4"."c1" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## calls to several functions, and a single call as a calc
select "s3"."c1" as "r1", ("s3"."c7" * round(1::numeric, 50) / nullif("s3"."c8", 0))::float8::float8 as "r2",
  ((("s3"."c7" * nullif("s3"."c8", 0)) - ("s3"."c7" * nullif("s3"."c8", 0))) * round(1::numeric, 80) / (nullif("s3"."c8", 0) * nullif("s3"."c8", 0)))::float8::float8 as "r3",
  (("s3"."c9" * nullif((100)::numeric, 0)) * round(1::numeric, 65) / (nullif("s3"."c10", 0) * nullif((100)::numeric, 0)))::float8::float8 as "r4",
  (((100)::numeric * "s3"."c11") * round(1::numeric, 50) / nullif("s3"."c12", 0))::float8::float8 as "r5",
  count(*) over () as "r6"
from (
  select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", "s2"."c5" as "c5",
    "s2"."c6" as "c6", ("s2"."c1")::numeric as "c7", ("s2"."c2")::numeric as "c8", ("s2"."c3")::numeric as "c9",
    ("s2"."c4")::numeric as "c10", ("s2"."c5")::numeric as "c11", ("s2"."c6")::numeric as "c12"
  from (
    select coalesce(sum("t1"."browse_sec"), 0) as "c1", count("t1"."browse_sec") as "c2", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 90) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 90) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 90) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 90) % 100)) as "c3",
      (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c4",
      coalesce(sum("t1"."is_last"::int), 0) as "c5", count(*) as "c6"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s2"
) as "s3"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a view sorts, limits and filters by a calc
select "s6"."c1" as "r1", "s6"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select "d5"."url" as "c1", "s4"."c1" as "c2"
  from (
    (
      select ("s3"."c4" * round(1::numeric, 50) / nullif("s3"."c5", 0))::float8 as "c1", "s3"."c1" as "c2"
      from (
        select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", ("s2"."c2")::numeric as "c4",
          ("s2"."c3")::numeric as "c5"
        from (
          select "t1"."page_id" as "c1", coalesce(sum("t1"."browse_sec"), 0) as "c2", count(*) as "c3"
          from "analytics"."page_view" as "t1"
          where "t1"."site_id" = $1::smallint
            and "t1"."at" >= to_timestamp($2::float8)
            and "t1"."at" < to_timestamp($3::float8)
          group by 1
        ) as "s2"
      ) as "s3"
      order by ("s3"."c4" * round(1::numeric, 50) / nullif("s3"."c5", 0))::float8 desc nulls last
    ) fetch first ($4::bigint) rows with ties
  ) as "s4"
  left join "analytics"."page" as "d5" on "d5"."site_id" = $5::smallint
    and "d5"."page_id" = "s4"."c2"
  order by "s4"."c1" desc nulls last, "d5"."url" collate "C" asc nulls last
  limit $6
) as "s6"
where "s6"."c2" < $7::bigint
order by "s6"."c2" asc nulls last, "s6"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1  $6 = 3  $7 = 60  $8 = 1000

-- ## a calc of a calc uses rounded numbers
select "s5"."c1"::float8 as "r1", "s5"."c2"::float8 as "r2", (("s5"."c3" * (2)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r3",
  count(*) over () as "r4"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c1")::text::numeric as "c3"
  from (
    select coalesce(sum(("s3"."c2" * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::text::numeric), 0) as "c1",
      max(("s3"."c2" * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8) as "c2"
    from (
      select "s2"."c2" as "c1", ("s2"."c2")::numeric as "c2"
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
select (((5)::numeric * "s3"."c2") * round(1::numeric, 23) / ((1)::numeric * 10))::float8::float8 as "r1",
  (((1000)::numeric * "s3"."c2") * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r2",
  (((25)::numeric * "s3"."c2") * round(1::numeric, 26) / ((1)::numeric * 10000))::float8::float8 as "r3",
  (("s3"."c2" * ((0)::numeric - (1)::numeric)) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r4",
  ((((1)::numeric * nullif(((0)::numeric - ((2)::numeric + (1)::numeric)), 0)) - ((0)::numeric - "s3"."c2")) * round(1::numeric, 37) / nullif(((0)::numeric - ((2)::numeric + (1)::numeric)), 0))::float8::float8 as "r5",
  count(*) over () as "r6"
from (
  select "s2"."c1" as "c1", ("s2"."c1")::numeric as "c2"
  from (
    select count(*) as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s2"
) as "s3"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
