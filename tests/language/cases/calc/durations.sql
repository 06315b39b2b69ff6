-- ## the seconds from the first view of each visit to the last
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
order by "s4"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## a difference is a number that any arithmetic can use
select "s5"."c1" as "r1", "s5"."c5"::float8 as "r2", "s5"."c6"::float8 as "r3", "s5"."c7"::float8 as "r4",
  "s5"."c8"::float8 as "r5", count(*) over () as "r6"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", ("s4"."c5" * round(1::numeric, 35) / "s4"."c6")::float8 as "c5",
    ("s4"."c7" * round(1::numeric, 21) / "s4"."c8")::float8 as "c6", ("s4"."c9" * round(1::numeric, 50) / "s4"."c10")::float8 as "c7",
    ("s4"."c11" * round(1::numeric, 21) / "s4"."c12")::float8 as "c8"
  from (
    select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4",
      ((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c3"))::numeric) as "c5",
      nullif((86400)::numeric, 0) as "c6", ((extract(epoch from "s2"."c3"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c7",
      (1)::numeric as "c8", (((0)::numeric * nullif(("s2"."c4")::numeric, 0)) - ((extract(epoch from "s2"."c3"))::numeric - (extract(epoch from "s2"."c2"))::numeric)) as "c9",
      nullif(("s2"."c4")::numeric, 0) as "c10", (((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c3"))::numeric) - ((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c3"))::numeric)) as "c11",
      (1)::numeric as "c12"
    from (
      select "t1"."device_id" as "c1", max("t1"."at") as "c2", min("t1"."at") as "c3", count(*) as "c4"
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

-- ## a median or percentile of datetimes is in whole seconds, as it is outside an expression
select "s5"."c1" as "r1", to_char(("s5"."c2" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  "s5"."c5"::float8 as "r3", "s5"."c6"::float8 as "r4", count(*) over () as "r5"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", ("s4"."c5" * round(1::numeric, 21) / "s4"."c6")::float8 as "c5",
    ("s4"."c7" * round(1::numeric, 21) / "s4"."c8")::float8 as "c6"
  from (
    select "d3"."device_type" as "c1", "s2"."c2" as "c2", "s2"."c3" as "c3", "s2"."c4" as "c4",
      ((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c3"))::numeric) as "c5",
      (1)::numeric as "c6", ((extract(epoch from "s2"."c4"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c7",
      (1)::numeric as "c8"
    from (
      select "t1"."device_id" as "c1", (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 50) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 50) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 50) / 100) + 1])) * (((count("t1"."at") - 1) * 50) % 100), 100)::float8) as "c2",
        min("t1"."at") as "c3", (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 100) / 100) + 1] + make_interval(secs => div((extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[least((((count("t1"."at") - 1) * 100) / 100) + 2, count("t1"."at"))]) - extract(epoch from (array_agg("t1"."at" order by "t1"."at") filter (where "t1"."at" is not null))[(((count("t1"."at") - 1) * 100) / 100) + 1])) * (((count("t1"."at") - 1) * 100) % 100), 100)::float8) as "c4"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
      group by 1
    ) as "s2"
    left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c1"
  ) as "s4"
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1000

-- ## null if there is no datetime
select "s4"."c3"::float8 as "r1", "s4"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 21) / "s3"."c4")::float8 as "c3",
    ("s3"."c5" * round(1::numeric, 21) / "s3"."c6")::float8 as "c4"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", ((extract(epoch from "s2"."c1"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c3",
      (1)::numeric as "c4", ((2)::numeric * ((extract(epoch from "s2"."c1"))::numeric - (extract(epoch from "s2"."c2"))::numeric)) as "c5",
      (1)::numeric as "c6"
    from (
      select max("t1"."at") as "c1", min("t1"."at") as "c2"
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

-- ## datetimes from both sides of a join
select "s6"."c1" as "r1", "s6"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", ("s5"."c4" * round(1::numeric, 21) / "s5"."c5")::float8 as "c4"
  from (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", ((extract(epoch from "s4"."c2"))::numeric - (extract(epoch from "s4"."c3"))::numeric) as "c4",
      (1)::numeric as "c5"
    from (
      select "t1"."pv_id" as "c1", min("s3"."c1") as "c2", min("t1"."at") as "c3"
      from "analytics"."page_view" as "t1"
      left join (
        select "t2"."at" as "c1", "t2"."pv_id" as "c2"
        from "analytics"."click" as "t2"
        where "t2"."site_id" = $1::smallint
          and "t2"."at" >= to_timestamp($2::float8)
          and "t2"."at" < to_timestamp($3::float8)
      ) as "s3" on "t1"."pv_id" = "s3"."c2"
      where "t1"."site_id" = $4::smallint
        and "t1"."at" >= to_timestamp($5::float8)
        and "t1"."at" < to_timestamp($6::float8)
      group by 1
    ) as "s4"
  ) as "s5"
) as "s6"
order by "s6"."c1" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1000

-- ## datetimes from rows that pass a filter
select "s4"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 21) / "s3"."c4")::float8 as "c3"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", ((extract(epoch from "s2"."c1"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c3",
      (1)::numeric as "c4"
    from (
      select max(case when "t1"."session_id" = $1::bigint then "t1"."at" end) as "c1", min(case when "t1"."session_id" = $2::bigint then "t1"."at" end) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $6;
-- $1 = 10  $2 = 10  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1000

-- ## filters, sorts and sums of differences
select "s7"."c1"::float8 as "r1", "s7"."c2"::float8 as "r2", "s7"."c5"::float8 as "r3", count(*) over () as "r4"
from (
  select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", "s6"."c4" as "c4", ("s6"."c5" * round(1::numeric, 21) / "s6"."c6")::float8 as "c5"
  from (
    select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", "s5"."c4" as "c4", ((extract(epoch from "s5"."c3"))::numeric - (extract(epoch from "s5"."c4"))::numeric) as "c5",
      (1)::numeric as "c6"
    from (
      select max("s4"."c3") as "c1", coalesce(sum("s4"."c3"::text::numeric), 0) as "c2", max("s4"."c1") as "c3",
        min("s4"."c1") as "c4"
      from (
        select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 21) / "s3"."c4")::float8 as "c3"
        from (
          select "s2"."c2" as "c1", "s2"."c3" as "c2", ((extract(epoch from "s2"."c3"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c3",
            (1)::numeric as "c4"
          from (
            select "t1"."session_id" as "c1", min("t1"."at") as "c2", max("t1"."at") as "c3"
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
order by "s7"."c2" desc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1000

-- ## elapsed seconds, regardless of local time
select to_char(("s4"."c1" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "s4"."c1"), $2::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  to_char(("s4"."c2" at time zone make_interval(secs => ($3::float8[])[width_bucket(date_part('epoch', "s4"."c2"), $4::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  "s4"."c3"::float8 as "r3", count(*) over () as "r4"
from (
  select "s3"."c1" as "c1", "s3"."c2" as "c2", ("s3"."c3" * round(1::numeric, 21) / "s3"."c4")::float8 as "c3"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2", ((extract(epoch from "s2"."c2"))::numeric - (extract(epoch from "s2"."c1"))::numeric) as "c3",
      (1)::numeric as "c4"
    from (
      select min("t1"."at") as "c1", max("t1"."at") as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $5::smallint
        and "t1"."at" >= to_timestamp($6::float8)
        and "t1"."at" < to_timestamp($7::float8)
    ) as "s2"
  ) as "s3"
) as "s4"
limit $8;
-- $1 = [7200,3600]  $2 = [1792890000]  $3 = [7200,3600]  $4 = [1792890000]  $5 = 2  $6 = 1792879200
-- $7 = 1792969200  $8 = 1000
