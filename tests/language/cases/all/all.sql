-- ## all covers every site that the user may see; identical times are ordered by id, then by site
select "d3"."tracking_id" as "r1", "s2"."c1" as "r2", "d4"."url" as "r3"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2", "t1"."site_id" as "c3", "t1"."page_id" as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "t1"."site_id" asc nulls last
  limit $4
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c3"
left join "analytics"."page" as "d4" on "d4"."site_id" = "s2"."c3"
  and "d4"."page_id" = "s2"."c4"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last, "s2"."c3" asc nulls last;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1001

-- ## the same text on several sites forms one group
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "d3"."url" as "c1", coalesce(sum("s2"."c3"), 0) as "c2"
  from (
    select "t1"."page_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and ("t1"."site_id", "t1"."page_id") in (
        select "e"."site_id", "e"."page_id"
        from "analytics"."page" as "e"
        where "e"."site_id" = any($4::smallint[])
          and "e"."text_key" = $5::uuid
          and "e"."url" = $6::text
      )
    group by 1, 2
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = "s2"."c2"
    and "d3"."page_id" = "s2"."c1"
  group by 1
) as "s4"
order by "s4"."c1" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = "8068ee95affd9273f0622bdbb25546b6"
-- $6 = "/"  $7 = 1000

-- ## the same id on several sites forms several groups
select "s2"."c1" as "r1", "s2"."c3" as "r2", count(*) over () as "r3"
from (
  select "t1"."session_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."session_id" = $4::bigint
  group by 1, 2
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1000

-- ## COUNTUNIQUE counts an id once for each site
select "s4"."c1" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select count(distinct ("s2"."c2", "s2"."c1")) filter (where "s2"."c1" is not null) as "c1",
    count(distinct "d3"."country_code") as "c2"
  from (
    select "t1"."session_id" as "c1", "t1"."site_id" as "c2", "t1"."country_id" as "c3"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."session_id" = $4::bigint
    group by 1, 2, 3
  ) as "s2"
  left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c3"
) as "s4"
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1000

-- ## identical text values with ids from different sites are merged
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", "s4"."c4" as "r4", count(*) over () as "r5"
from (
  select "d2"."url" as "c1", "d3"."device_type" as "c2", count(*) as "c3", count(distinct ("t1"."site_id", "t1"."reader_id")) filter (where "t1"."reader_id" is not null) as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = "t1"."site_id"
    and "d2"."page_id" = "t1"."page_id"
  left join "analytics"."device" as "d3" on "d3"."device_id" = "t1"."device_id"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = $4::bigint
  group by 1, 2
) as "s4"
order by "s4"."c1" collate "C" asc nulls last, "s4"."c2" collate "C" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## for an analyst, all means the granted sites
select "d3"."tracking_id" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."site_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
order by "d3"."tracking_id" collate "C" asc nulls last, "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## grouped by site
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
order by "s2"."c2" desc nulls last, "d3"."tracking_id" collate "C" asc nulls last, "s2"."c1" asc nulls last
limit $4;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## ids of previous and next pages are site-specific, too
select "s2"."c1" as "r1", "s2"."c3" as "r2", "s2"."c4" as "r3", count(*) over () as "r4"
from (
  select "t1"."prev_page_id" as "c1", "t1"."site_id" as "c2", count(*) as "c3", count(distinct ("t1"."site_id", "t1"."prev_page_id")) filter (where "t1"."prev_page_id" is not null) as "c4"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1, 2
) as "s2"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last
limit $4;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1777561201  $4 = 1000

-- ## distinct readers by a key with few values, counted per site
select "s3"."c1" as "r1", "s3"."c3" as "r2", "s3"."c2" as "r3", count(*) over () as "r4"
from (
  select "s2"."c1" as "c1", coalesce(sum("s2"."c4"), 0) as "c2", count("s2"."c2") as "c3"
  from (
    select "t1"."is_newuser"::int as "c1", "t1"."reader_id" as "c2", "t1"."site_id" as "c3",
      count(*) as "c4"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."pv_id" = $4::bigint
    group by 1, 2, 3
  ) as "s2"
  group by 1
) as "s3"
order by "s3"."c1" asc nulls last
limit $5;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000

-- ## views that keep tracking_id are joined within each site, regardless of the keys
select "d3"."tracking_id" as "r1", "d4"."device_type" as "r2", "s2"."c3" as "r3", "s10"."c3" as "r4"
from (
  select "t1"."site_id" as "c1", "t1"."device_id" as "c2", count(*) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1, 2
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s2"."c2"
left join (
  select "d8"."tracking_id" as "c1", "d9"."device_type" as "c2", "s7"."c3" as "c3", "s7"."c1" as "c4"
  from (
    select "s6"."c1" as "c1", "s6"."c2" as "c2", count("s6"."c3") as "c3"
    from (
      select "t5"."site_id" as "c1", "t5"."device_id" as "c2", "t5"."reader_id" as "c3"
      from "analytics"."page_view" as "t5"
      where "t5"."site_id" = any($4::smallint[])
        and "t5"."at" >= to_timestamp($5::float8)
        and "t5"."at" < to_timestamp($6::float8)
      group by 1, 2, 3
    ) as "s6"
    group by 1, 2
  ) as "s7"
  left join "analytics"."site" as "d8" on "d8"."site_id" = "s7"."c1"
  left join "analytics"."device" as "d9" on "d9"."device_id" = "s7"."c2"
) as "s10" on "d4"."device_type" = "s10"."c2"
  and "s2"."c1" = "s10"."c4"
order by "d3"."tracking_id" collate "C" asc nulls last, "d4"."device_type" collate "C" asc nulls last,
  "s2"."c1" asc nulls last, "s10"."c1" collate "C" asc nulls last, "s10"."c2" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = 1001

-- ## a view of a view is joined within each site if it keeps tracking_id; otherwise, its sites are merged
select "s7"."c1" as "r1", "s14"."c3" as "r2", "s22"."c2" as "r3"
from (
  select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c4" as "c3"
  from (
    select "d3"."tracking_id" as "c1", "d4"."device_type" as "c2", "d5"."url" as "c3", "s2"."c1" as "c4"
    from (
      select "t1"."site_id" as "c1", "t1"."device_id" as "c2", "t1"."page_id" as "c3"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = any($1::smallint[])
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1, 2, 3
    ) as "s2"
    left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
    left join "analytics"."device" as "d4" on "d4"."device_id" = "s2"."c2"
    left join "analytics"."page" as "d5" on "d5"."site_id" = "s2"."c1"
      and "d5"."page_id" = "s2"."c3"
    group by 1, 2, 3, 4
  ) as "s6"
  group by 1, 2, 3
) as "s7"
inner join (
  select "s13"."c1" as "c1", "s13"."c2" as "c2", "s13"."c3" as "c3", "s13"."c4" as "c4"
  from (
    select "d10"."tracking_id" as "c1", "d11"."device_type" as "c2", "d12"."url" as "c3", "s9"."c1" as "c4"
    from (
      select "t8"."site_id" as "c1", "t8"."device_id" as "c2", "t8"."page_id" as "c3"
      from "analytics"."page_view" as "t8"
      where "t8"."site_id" = any($4::smallint[])
        and "t8"."at" >= to_timestamp($5::float8)
        and "t8"."at" < to_timestamp($6::float8)
      group by 1, 2, 3
    ) as "s9"
    left join "analytics"."site" as "d10" on "d10"."site_id" = "s9"."c1"
    left join "analytics"."device" as "d11" on "d11"."device_id" = "s9"."c2"
    left join "analytics"."page" as "d12" on "d12"."site_id" = "s9"."c1"
      and "d12"."page_id" = "s9"."c3"
    group by 1, 2, 3, 4
  ) as "s13"
) as "s14" on "s7"."c2" = "s14"."c2"
  and "s7"."c3" = "s14"."c4"
left join (
  select "s21"."c1" as "c1", "s21"."c2" as "c2"
  from (
    select "s20"."c2" as "c1", count(*) as "c2"
    from (
      select "d17"."tracking_id" as "c1", "d18"."device_type" as "c2", "d19"."url" as "c3",
        "s16"."c1" as "c4"
      from (
        select "t15"."site_id" as "c1", "t15"."device_id" as "c2", "t15"."page_id" as "c3"
        from "analytics"."page_view" as "t15"
        where "t15"."site_id" = any($7::smallint[])
          and "t15"."at" >= to_timestamp($8::float8)
          and "t15"."at" < to_timestamp($9::float8)
        group by 1, 2, 3
      ) as "s16"
      left join "analytics"."site" as "d17" on "d17"."site_id" = "s16"."c1"
      left join "analytics"."device" as "d18" on "d18"."device_id" = "s16"."c2"
      left join "analytics"."page" as "d19" on "d19"."site_id" = "s16"."c1"
        and "d19"."page_id" = "s16"."c3"
      group by 1, 2, 3, 4
    ) as "s20"
    group by 1
  ) as "s21"
) as "s22" on "s7"."c2" = "s22"."c1"
where "s7"."c2" = $10::text
order by "s7"."c1" collate "C" asc nulls last, "s7"."c2" collate "C" asc nulls last, "s7"."c3" asc nulls last,
  "s14"."c1" collate "C" asc nulls last, "s14"."c2" collate "C" asc nulls last, "s14"."c3" collate "C" asc nulls last,
  "s22"."c1" collate "C" asc nulls last
limit $11;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = [1,2,3]
-- $8 = 1777561200  $9 = 1780239600  $10 = "SP"  $11 = 1001

-- ## a view that merged the sites is joined by value
select "d3"."tracking_id" as "r1", "d4"."device_type" as "r2", "s2"."c3" as "r3", "s8"."c2" as "r4"
from (
  select "t1"."site_id" as "c1", "t1"."device_id" as "c2", count(*) as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1, 2
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s2"."c2"
left join (
  select "d7"."device_type" as "c1", "s6"."c2" as "c2"
  from (
    select "t5"."device_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t5"
    where "t5"."site_id" = any($4::smallint[])
      and "t5"."at" >= to_timestamp($5::float8)
      and "t5"."at" < to_timestamp($6::float8)
    group by 1
  ) as "s6"
  left join "analytics"."device" as "d7" on "d7"."device_id" = "s6"."c1"
) as "s8" on "d4"."device_type" = "s8"."c1"
order by "d3"."tracking_id" collate "C" asc nulls last, "d4"."device_type" collate "C" asc nulls last,
  "s2"."c1" asc nulls last, "s8"."c1" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = 1001

-- ## a calc named tracking_id does not keep sites separate
select "s5"."c1" as "r1", "s5"."c2" as "r2", "s10"."c1" as "r3"
from (
  select "s3"."c2" as "c1", count("d4"."device_type") as "c2"
  from (
    select "t1"."device_id" as "c1", max("d2"."tracking_id" collate "C") as "c2"
    from "analytics"."page_view" as "t1"
    left join "analytics"."site" as "d2" on "d2"."site_id" = "t1"."site_id"
    where "t1"."site_id" = any($1::smallint[])
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s3"
  left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
  group by 1
) as "s5"
left join (
  select "d9"."device_type" as "c1", "s8"."c2" as "c2"
  from (
    select "t6"."device_id" as "c1", max("d7"."tracking_id" collate "C") as "c2"
    from "analytics"."page_view" as "t6"
    left join "analytics"."site" as "d7" on "d7"."site_id" = "t6"."site_id"
    where "t6"."site_id" = any($4::smallint[])
      and "t6"."at" >= to_timestamp($5::float8)
      and "t6"."at" < to_timestamp($6::float8)
    group by 1
  ) as "s8"
  left join "analytics"."device" as "d9" on "d9"."device_id" = "s8"."c1"
) as "s10" on "s5"."c1" = "s10"."c2"
order by "s5"."c1" collate "C" asc nulls last, "s10"."c1" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = 1001

-- ## the lowest id in each visit keeps its site
select "s2"."c1" as "r1", "s6"."c3" as "r2", "s6"."c4" as "r3"
from (
  select "t1"."session_id" as "c1", "t1"."site_id" as "c2", min("t1"."pv_id") as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."session_id" = any($4::bigint[])
  group by 1, 2
) as "s2"
left join (
  select "t3"."at" as "c1", "t3"."pv_id" as "c2", "d4"."tracking_id" as "c3", "d5"."title" as "c4",
    "t3"."site_id" as "c5"
  from "analytics"."page_view" as "t3"
  left join "analytics"."site" as "d4" on "d4"."site_id" = "t3"."site_id"
  left join "analytics"."page" as "d5" on "d5"."site_id" = "t3"."site_id"
    and "d5"."page_id" = "t3"."page_id"
  where "t3"."site_id" = any($5::smallint[])
    and "t3"."at" >= to_timestamp($6::float8)
    and "t3"."at" < to_timestamp($7::float8)
) as "s6" on "s2"."c3" = "s6"."c2"
  and "s2"."c2" = "s6"."c5"
order by "s2"."c1" asc nulls last, "s2"."c2" asc nulls last, "s6"."c1" asc nulls last, "s6"."c2" asc nulls last
limit $8;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [10,11]  $5 = [1,2,3]  $6 = 1777561200  $7 = 1780239600
-- $8 = 1001
