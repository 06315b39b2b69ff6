-- ## division keeps decimals, even for whole numbers
select (("s3"."c1")::numeric * round(1::numeric, 50) / nullif(("s3"."c2")::numeric, 0))::float8::float8 as "r1",
  (("s3"."c1")::numeric * round(1::numeric, 35) / nullif((4)::numeric, 0))::float8::float8 as "r2",
  count(*) over () as "r3"
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
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## * and / come before + and -, from left to right, and parentheses come first
select (((2)::numeric + (("s2"."c1")::numeric * (3)::numeric)) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r1",
  ((((2)::numeric + ("s2"."c1")::numeric) * (3)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r2",
  (("s2"."c1")::numeric * round(1::numeric, 50) / (nullif((2)::numeric, 0) * nullif((3)::numeric, 0)))::float8::float8 as "r3",
  (((("s2"."c1")::numeric - (3)::numeric) - (2)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r4",
  ((("s2"."c1")::numeric * nullif((2)::numeric, 0)) * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::float8 as "r5",
  ((((0)::numeric - ("s2"."c1")::numeric) + (1)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r6",
  (((2)::numeric * ((0)::numeric - ("s2"."c1")::numeric)) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r7",
  count(*) over () as "r8"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## intermediate results are not rounded
select ((((1)::numeric * ("s3"."c1")::numeric) + (2)::numeric) * round(1::numeric, 23) / ((1)::numeric * 10))::float8::float8 as "r1",
  ((("s3"."c1")::numeric * (100)::numeric) * round(1::numeric, 35) / nullif((100)::numeric, 0))::float8::float8 as "r2",
  ((("s3"."c4")::numeric * (3)::numeric) * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::float8 as "r3",
  ((("s3"."c2")::numeric * (6)::numeric) * round(1::numeric, 50) / nullif(("s3"."c3")::numeric, 0))::float8::float8 as "r4",
  ((((7)::numeric * ("s3"."c4")::numeric) * (100)::numeric) * round(1::numeric, 35) / nullif((500)::numeric, 0))::float8::float8 as "r5",
  count(*) over () as "r6"
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
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a divisor of 0 anywhere in a calc returns null
select ((1)::numeric * round(1::numeric, 50) / nullif(("s2"."c1")::numeric, 0))::float8::float8 as "r1",
  (("s2"."c1")::numeric * round(1::numeric, 50) / nullif(("s2"."c2")::numeric, 0))::float8::float8 as "r2",
  (((0)::numeric * (1)::numeric) * round(1::numeric, 50) / nullif(("s2"."c1")::numeric, 0))::float8::float8 as "r3",
  (((1)::numeric * nullif(("s2"."c1")::numeric, 0)) * round(1::numeric, 35) / nullif((1)::numeric, 0))::float8::float8 as "r4",
  (("s2"."c3")::numeric * round(1::numeric, 51) / nullif((("s2"."c1")::numeric - ("s2"."c2")::numeric), 0))::float8::float8 as "r5",
  (("s2"."c1")::numeric * round(1::numeric, 36) / nullif(((0)::numeric - (2)::numeric), 0))::float8::float8 as "r6",
  count(*) over () as "r7"
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
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "13bd630a78b3536047112915a0efa449"  $6 = "nowhere"
-- $7 = 1  $8 = "13bd630a78b3536047112915a0efa449"  $9 = "nowhere"  $10 = 1000

-- ## a null operand returns null
select "d3"."device_type" as "r1", ((((1)::numeric * nullif(("s2"."c3")::numeric, 0)) + ("s2"."c2")::numeric) * round(1::numeric, 50) / nullif(("s2"."c3")::numeric, 0))::float8::float8 as "r2",
  ((("s2"."c4")::numeric - ("s2"."c5")::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r3",
  (("s2"."c6")::numeric * round(1::numeric, 65) / (nullif(("s2"."c7")::numeric, 0) * nullif((100)::numeric, 0)))::float8::float8 as "r4",
  (((0)::numeric * ("s2"."c4")::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r5",
  count(*) over () as "r6"
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
order by "d3"."device_type" collate "C" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## calls to all functions, and one of them as a calc
select "s2"."c1" as "r1", (("s2"."c1")::numeric * round(1::numeric, 50) / nullif(("s2"."c2")::numeric, 0))::float8::float8 as "r2",
  (((("s2"."c1")::numeric * nullif(("s2"."c2")::numeric, 0)) - (("s2"."c1")::numeric * nullif(("s2"."c2")::numeric, 0))) * round(1::numeric, 80) / (nullif(("s2"."c2")::numeric, 0) * nullif(("s2"."c2")::numeric, 0)))::float8::float8 as "r3",
  ((("s2"."c3")::numeric * nullif((100)::numeric, 0)) * round(1::numeric, 65) / (nullif(("s2"."c4")::numeric, 0) * nullif((100)::numeric, 0)))::float8::float8 as "r4",
  (((100)::numeric * ("s2"."c5")::numeric) * round(1::numeric, 50) / nullif(("s2"."c6")::numeric, 0))::float8::float8 as "r5",
  count(*) over () as "r6"
from (
  select coalesce(sum("t1"."browse_sec"), 0) as "c1", count("t1"."browse_sec") as "c2", (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 90) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 90) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 90) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 90) % 100)) as "c3",
    (((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[(((count("t1"."browse_sec") - 1) * 50) / 100) + 1])::numeric * (100 - (((count("t1"."browse_sec") - 1) * 50) % 100)) + ((array_agg("t1"."browse_sec" order by "t1"."browse_sec") filter (where "t1"."browse_sec" is not null))[least((((count("t1"."browse_sec") - 1) * 50) / 100) + 2, count("t1"."browse_sec"))])::numeric * (((count("t1"."browse_sec") - 1) * 50) % 100)) as "c4",
    coalesce(sum("t1"."is_last"::int), 0) as "c5", count(*) as "c6"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a view sorts, limits and filters by a calc
select "s5"."c1" as "r1", "s5"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select "d4"."url" as "c1", "s3"."c1" as "c2"
  from (
    (
      select (("s2"."c2")::numeric * round(1::numeric, 50) / nullif(("s2"."c3")::numeric, 0))::float8 as "c1",
        "s2"."c1" as "c2"
      from (
        select "t1"."page_id" as "c1", coalesce(sum("t1"."browse_sec"), 0) as "c2", count(*) as "c3"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
        group by 1
      ) as "s2"
      order by (("s2"."c2")::numeric * round(1::numeric, 50) / nullif(("s2"."c3")::numeric, 0))::float8 desc nulls last
    ) fetch first ($4::bigint) rows with ties
  ) as "s3"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
    and "d4"."page_id" = "s3"."c2"
  order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
  limit $6
) as "s5"
where "s5"."c2" < $7::bigint
order by "s5"."c2" asc nulls last, "s5"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1  $6 = 3  $7 = 60  $8 = 1000

-- ## a calc of a calc uses rounded numbers
select "s3"."c1"::float8 as "r1", "s3"."c2"::float8 as "r2", ((("s3"."c1")::text::numeric * (2)::numeric) * round(1::numeric, 21) / (1)::numeric)::float8::float8 as "r3",
  count(*) over () as "r4"
from (
  select coalesce(sum((("s2"."c2")::numeric * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8::text::numeric), 0) as "c1",
    max((("s2"."c2")::numeric * round(1::numeric, 35) / nullif((3)::numeric, 0))::float8) as "c2"
  from (
    select "t1"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
) as "s3"
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
