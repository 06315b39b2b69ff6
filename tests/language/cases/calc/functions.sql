-- ## COUNT counts values, not rows
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select count(*) as "c1", count("d2"."title") as "c2", count("t1"."browse_sec") as "c3"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
) as "s3"
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## COUNTUNIQUE counts distinct values and ignores null
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", "s4"."c4" as "r4", count(*) over () as "r5"
from (
  select count(distinct "t1"."session_id") as "c1", count(distinct "t1"."reader_id") as "c2",
    count(distinct "d2"."title") as "c3", count(distinct "d3"."utm_source") as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $2::smallint
    and "d3"."source_id" = "t1"."source_id"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
) as "s4"
limit $6;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## SUM adds numbers and counts set flags
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select coalesce(sum("t1"."browse_sec"), 0) as "c1", coalesce(sum("t1"."is_last"::int), 0) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## AVERAGE is exact and ignores null
select "s4"."c5"::float8 as "r1", "s4"."c6"::float8 as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4", ("s3"."c5" * round(1::numeric, 50) / "s3"."c6")::float8 as "c5",
    ("s3"."c7" * round(1::numeric, 50) / "s3"."c8")::float8 as "c6"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4", ("s2"."c1")::numeric as "c5",
      nullif(("s2"."c2")::numeric, 0) as "c6", ("s2"."c3")::numeric as "c7", nullif(("s2"."c4")::numeric, 0) as "c8"
    from (
      select coalesce(sum("t1"."browse_sec"), 0) as "c1", count("t1"."browse_sec") as "c2",
        coalesce(sum("t1"."is_last"::int), 0) as "c3", count(*) as "c4"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## MIN and MAX of numbers, strings (bytewise), and datetimes
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", "s3"."c4" as "r4", to_char(("s3"."c5" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r5",
  to_char("s3"."c6", 'YYYY-MM-DD') as "r6", count(*) over () as "r7"
from (
  select min("t1"."browse_sec") as "c1", max("t1"."browse_sec") as "c2", min("d2"."utm_source" collate "C") as "c3",
    max("d2"."utm_source" collate "C") as "c4", min("t1"."at") as "c5", max(("t1"."at" at time zone make_interval(secs => $2::float8))::date) as "c6"
  from "analytics"."page_view" as "t1"
  left join "analytics"."source" as "d2" on "d2"."site_id" = $3::smallint
    and "d2"."source_id" = "t1"."source_id"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
) as "s3"
limit $7;
-- $1 = 32400  $2 = 32400  $3 = 1  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## without groups, an empty input returns one row with counts of 0 and nulls
select "s8"."c1" as "r1", "s8"."c2" as "r2", "s8"."c3" as "r3", "s8"."c7"::float8 as "r4", "s8"."c4" as "r5",
  "s8"."c5" as "r6", count(*) over () as "r7"
from (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", "s7"."c3" as "c3", "s7"."c4" as "c4", "s7"."c5" as "c5",
    "s7"."c6" as "c6", ("s7"."c7" * round(1::numeric, 50) / "s7"."c8")::float8 as "c7"
  from (
    select "s6"."c1" as "c1", "s6"."c6" as "c2", "s6"."c2" as "c3", "s6"."c3" as "c4", "s6"."c4" as "c5",
      "s6"."c5" as "c6", ("s6"."c2")::numeric as "c7", nullif(("s6"."c5")::numeric, 0) as "c8"
    from (
      select coalesce(sum("s5"."c2"), 0) as "c1", coalesce(sum("s5"."c3"), 0) as "c2", min("s5"."c4" collate "C") as "c3",
        max("s5"."c5") as "c4", coalesce(sum("s5"."c6"), 0) as "c5", count("s5"."c1") as "c6"
      from (
        select "d4"."url" as "c1", coalesce(sum("s3"."c2"), 0) as "c2", coalesce(sum("s3"."c3"), 0) as "c3",
          min("s3"."c4" collate "C") as "c4", max("s3"."c5") as "c5", coalesce(sum("s3"."c6"), 0) as "c6"
        from (
          select "t1"."page_id" as "c1", count(*) as "c2", coalesce(sum("t1"."browse_sec"), 0) as "c3",
            min("d2"."url" collate "C") as "c4", max("t1"."pv") as "c5", count("t1"."browse_sec") as "c6"
          from "analytics"."page_view" as "t1"
          left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
            and "d2"."page_id" = "t1"."page_id"
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
          group by 1
        ) as "s3"
        left join "analytics"."page" as "d4" on "d4"."site_id" = $11::smallint
          and "d4"."page_id" = "s3"."c1"
        group by 1
      ) as "s5"
    ) as "s6"
  ) as "s7"
) as "s8"
limit $12;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = "13bd630a78b3536047112915a0efa449"
-- $7 = "nowhere"  $8 = 1  $9 = "13bd630a78b3536047112915a0efa449"  $10 = "nowhere"  $11 = 1  $12 = 1000

-- ## with groups, an empty input returns no rows
select "d3"."url" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."page_id" as "c1", count(*) as "c2"
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
  group by 1
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $10::smallint
  and "d3"."page_id" = "s2"."c1"
order by "d3"."url" collate "C" asc nulls last
limit $11;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "13bd630a78b3536047112915a0efa449"  $6 = "nowhere"
-- $7 = 1  $8 = "13bd630a78b3536047112915a0efa449"  $9 = "nowhere"  $10 = 1  $11 = 1000

-- ## function names are case-insensitive and spaces do not matter
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## calc columns keep the order in which they are written
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select count(*) as "c1", count("d2"."title") as "c2", min("t1"."pv_id") as "c3"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
) as "s3"
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## add lists the calcs and has no effect
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
