-- ## a view of a view; the prefix is the view's name or the material's
select "d3"."url" as "r1", "s2"."c1" as "r2"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."page_id" as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $4::text
    ) is not null
    and "t1"."device_id" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $5::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $6
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $7::smallint
  and "d3"."page_id" = "s2"."c3"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "SP"  $5 = "SP"  $6 = 1001  $7 = 1

-- ## a filter on a calc of an earlier view
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
where "s2"."c2" >= $5::bigint
order by "d3"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 2  $6 = 1000

-- ## groups of groups
select "s6"."c1" as "r1", "s6"."c2" as "r2", "s6"."c3" as "r3", "s6"."c6"::float8 as "r4", "s6"."c4" as "r5",
  count(*) over () as "r6"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", "s5"."c4" as "c4", "s5"."c5" as "c5",
    ("s5"."c6" * round(1::numeric, 50) / "s5"."c7")::float8 as "c6"
  from (
    select "d4"."device_type" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", "s3"."c4" as "c4",
      "s3"."c5" as "c5", ("s3"."c3")::numeric as "c6", nullif(("s3"."c5")::numeric, 0) as "c7"
    from (
      select "s2"."c2" as "c1", count(*) as "c2", coalesce(sum("s2"."c3"), 0) as "c3", max("s2"."c3") as "c4",
        count(*) as "c5"
      from (
        select "t1"."session_id" as "c1", "t1"."device_id" as "c2", count(*) as "c3"
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

-- ## a view without a sort keeps the order of the earlier view
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."browse_sec" desc nulls last, "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## top applies before the next view reads the rows
select "s5"."c1" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select "s4"."c1" as "c1", count(*) as "c2"
  from (
    select "d3"."device_type" as "c1"
    from (
      select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."device_id" as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
      limit $4
    ) as "s2"
    left join "analytics"."device" as "d3" on "d3"."device_id" = "s2"."c3"
    order by "s2"."c1" desc nulls last, "s2"."c2" asc nulls last
  ) as "s4"
  group by 1
) as "s5"
order by "s5"."c1" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1000

-- ## a top within a top, with its total
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
  limit $4
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 4  $5 = 2

-- ## datetimes and parts of the time do not change
select to_char("period"."value", 'YYYY-MM-DD') as "r1", to_char(("s3"."c1" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  count(*) over () as "r3"
from unnest($2::date[], $3::float8[], $4::float8[]) as "period"(value, first, last)
cross join lateral (
  select "s2"."c1" as "c1", "s2"."c2" as "c2"
  from (
    select min("t1"."at") as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $5::smallint
      and "t1"."at" >= to_timestamp("period"."first")
      and "t1"."at" < to_timestamp("period"."last")
  ) as "s2"
) as "s3"
where "s3"."c2" > $6::bigint
  and "s3"."c1" >= to_timestamp($7::float8)
  and "period"."value" < $8::date
order by "period"."value" asc nulls last
limit $9;
-- $1 = 32400
-- $2 = ["2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $3 = [1777561200,1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200]
-- $4 = [1777647600,1777734000,1777820400,1777906800,1777993200,1778079600,1778166000,1778252400,1778338800,1778425200,1778511600,1778598000,1778684400,1778770800,1778857200,1778943600,1779030000,1779116400,1779202800,1779289200,1779375600,1779462000,1779548400,1779634800,1779721200,1779807600,1779894000,1779980400,1780066800,1780153200,1780239600]
-- $5 = 1  $6 = 0  $7 = 1777647600  $8 = "2026-05-31"  $9 = 1000

-- ## a total over no groups
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select count(*) as "c1", coalesce(sum("s2"."c2"), 0) as "c2", max("s2"."c2") as "c3"
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
) as "s3"
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "13bd630a78b3536047112915a0efa449"  $6 = "nowhere"
-- $7 = 1  $8 = "13bd630a78b3536047112915a0efa449"  $9 = "nowhere"  $10 = 1000

-- ## ids from different sites stay distinct in chained views
select "s3"."c1" as "r1", "s3"."c2" as "r2", "s3"."c3" as "r3", count(*) over () as "r4"
from (
  select count("s2"."c1") as "c1", count(*) as "c2", coalesce(sum("s2"."c3"), 0) as "c3"
  from (
    select "t1"."session_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."session_id" = $4::bigint
    group by 1, 2
  ) as "s2"
) as "s3"
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1000

-- ## count_only of a chained view
select "s2"."c1"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $4::text
    ) is not null
    and "t1"."device_id" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $5::text
    )
) as "s2";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "PC"  $5 = "PC"

-- ## repeated names in chained views
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "s3"."c2" as "c1", coalesce(sum("s3"."c1"), 0) as "c2"
  from (
    select "s2"."c2" as "c1", count(*) as "c2"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    group by 1
  ) as "s3"
  group by 1
) as "s4"
order by "s4"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000
