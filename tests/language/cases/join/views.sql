-- ## a view joins an earlier one on a shared key, with nulls in rows without a match
select "t1"."pv_id" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3", "t2"."session_id" as "c4"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
    and "t2"."pv" = $5::bigint
    and (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $6::text
    ) is not null
    and "t2"."device_id" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $7::text
    )
) as "s4" on "t1"."session_id" = "s4"."c4"
where "t1"."site_id" = $8::smallint
  and "t1"."at" >= to_timestamp($9::float8)
  and "t1"."at" < to_timestamp($10::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = "PC"  $7 = "PC"  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 1001

-- ## drop removes rows without a match
select "t1"."pv_id" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
inner join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3", "t2"."session_id" as "c4"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
    and "t2"."pv" = $5::bigint
    and (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $6::text
    ) is not null
    and "t2"."device_id" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $7::text
    )
) as "s4" on "t1"."session_id" = "s4"."c4"
where "t1"."site_id" = $8::smallint
  and "t1"."at" >= to_timestamp($9::float8)
  and "t1"."at" < to_timestamp($10::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = "PC"  $7 = "PC"  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 1001

-- ## fill only replaces nulls in rows without a match
select "t1"."pv_id" as "r1", case when "s4"."c4" is null then $1::text else "s4"."c3" end as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."utm_source" as "c3", "t2"."session_id" as "c4"
  from "analytics"."page_view" as "t2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $2::smallint
    and "d3"."source_id" = "t2"."source_id"
  where "t2"."site_id" = $3::smallint
    and "t2"."at" >= to_timestamp($4::float8)
    and "t2"."at" < to_timestamp($5::float8)
    and ("t2"."device_id" = (
      select "e"."device_id"
      from "analytics"."device" as "e"
      where "e"."device_type" = $6::text
    )) is not true
) as "s4" on "t1"."session_id" = "s4"."c4"
where "t1"."site_id" = $7::smallint
  and "t1"."at" >= to_timestamp($8::float8)
  and "t1"."at" < to_timestamp($9::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $10;
-- $1 = "-"  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "PC"  $7 = 1  $8 = 1777561200
-- $9 = 1780239600  $10 = 1001

-- ## calcs count filled values
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s4"."c3" as "r3", count(*) over () as "r4"
from (
  select count(case when "s3"."c1" is null then $1::bigint else "s3"."c1" end) as "c1", count(*) as "c2",
    min(case when "s3"."c1" is null then $2::bigint else "s3"."c1" end) as "c3"
  from "analytics"."page_view" as "t1"
  left join (
    select "t2"."session_id" as "c1"
    from "analytics"."page_view" as "t2"
    where "t2"."site_id" = $3::smallint
      and "t2"."at" >= to_timestamp($4::float8)
      and "t2"."at" < to_timestamp($5::float8)
      and (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $6::text
      ) is not null
      and "t2"."device_id" = (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $7::text
      )
  ) as "s3" on "t1"."session_id" = "s3"."c1"
  where "t1"."site_id" = $8::smallint
    and "t1"."at" >= to_timestamp($9::float8)
    and "t1"."at" < to_timestamp($10::float8)
) as "s4"
limit $11;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "SP"  $7 = "SP"  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 1000

-- ## without fill, calcs ignore rows without a match
select "s5"."c1" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select coalesce(sum("s4"."c1"), 0) as "c1", coalesce(sum(case when "s4"."c3" is null then $1::bigint else "s4"."c2" end), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join (
    select "s3"."c2" as "c1", "s3"."c3" as "c2", "s3"."c1" as "c3"
    from (
      select "t2"."session_id" as "c1", count("t2"."session_id") as "c2", count(*) as "c3"
      from "analytics"."page_view" as "t2"
      where "t2"."site_id" = $2::smallint
        and "t2"."at" >= to_timestamp($3::float8)
        and "t2"."at" < to_timestamp($4::float8)
        and (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $5::text
        ) is not null
        and "t2"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $6::text
        )
      group by 1
    ) as "s3"
  ) as "s4" on "t1"."session_id" = "s4"."c3"
  where "t1"."site_id" = $7::smallint
    and "t1"."at" >= to_timestamp($8::float8)
    and "t1"."at" < to_timestamp($9::float8)
) as "s5"
limit $10;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "SP"  $6 = "SP"  $7 = 1  $8 = 1777561200
-- $9 = 1780239600  $10 = 1000

-- ## all pairs must match
select "t1"."pv_id" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."title" as "c3", "t2"."session_id" as "c4",
    "t2"."page_id" as "c5"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
) as "s4" on "t1"."session_id" = "s4"."c4"
  and "t1"."page_id" = "s4"."c5"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $8;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1001

-- ## matches multiply rows, which are ordered by the left side, then by the joined side
select "t1"."pv_id" as "r1", "s3"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "t2"."browse_sec" as "c3", "t2"."session_id" as "c4"
  from "analytics"."page_view" as "t2"
  where "t2"."site_id" = $1::smallint
    and "t2"."at" >= to_timestamp($2::float8)
    and "t2"."at" < to_timestamp($3::float8)
) as "s3" on "t1"."session_id" = "s3"."c4"
where "t1"."site_id" = $4::smallint
  and "t1"."at" >= to_timestamp($5::float8)
  and "t1"."at" < to_timestamp($6::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1001

-- ## a grouped view can be joined
select "t1"."pv_id" as "r1", "s4"."c2" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "s3"."c1" as "c1", "s3"."c2" as "c2"
  from (
    select "t2"."session_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t2"
    where "t2"."site_id" = $1::smallint
      and "t2"."at" >= to_timestamp($2::float8)
      and "t2"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s3"
) as "s4" on "t1"."session_id" = "s4"."c1"
where "t1"."site_id" = $4::smallint
  and "t1"."at" >= to_timestamp($5::float8)
  and "t1"."at" < to_timestamp($6::float8)
  and "t1"."pv" = $7::bigint
order by "s4"."c2" desc nulls last, "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = 1001

-- ## a column that exists on only one side is found
select "s2"."c2" as "r1", "s5"."c3" as "r2"
from (
  select "t1"."session_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join (
  select "t3"."at" as "c1", "t3"."pv_id" as "c2", "d4"."url" as "c3", "t3"."session_id" as "c4"
  from "analytics"."page_view" as "t3"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $4::smallint
    and "d4"."page_id" = "t3"."page_id"
  where "t3"."site_id" = $5::smallint
    and "t3"."at" >= to_timestamp($6::float8)
    and "t3"."at" < to_timestamp($7::float8)
) as "s5" on "s2"."c1" = "s5"."c4"
where "s2"."c2" > $8::bigint
order by "s2"."c1" asc nulls last, "s5"."c1" asc nulls last, "s5"."c2" asc nulls last
limit $9;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1001

-- ## a joined view can be chained, filtered and sorted
select "s5"."c1" as "r1", "s5"."c2" as "r2"
from (
  select "s4"."c1" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  left join (
    select "d3"."url" as "c1", "t2"."session_id" as "c2"
    from "analytics"."page_view" as "t2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
      and "d3"."page_id" = "t2"."page_id"
    where "t2"."site_id" = $2::smallint
      and "t2"."at" >= to_timestamp($3::float8)
      and "t2"."at" < to_timestamp($4::float8)
      and "t2"."pv" = $5::bigint
  ) as "s4" on "t1"."session_id" = "s4"."c2"
  where "t1"."site_id" = $6::smallint
    and "t1"."at" >= to_timestamp($7::float8)
    and "t1"."at" < to_timestamp($8::float8)
    and starts_with("s4"."c1", $9::text)
    and "t1"."pv_id" < $10::bigint
  group by 1
) as "s5"
order by "s5"."c2" desc nulls last, "s5"."c1" collate "C" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = "/"
-- $10 = 6  $11 = 2

-- ## a joined view can be joined again
select "t1"."pv_id" as "r1", "s4"."c3" as "r2", "s6"."c3" as "r3"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3", "t2"."session_id" as "c4"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $2::smallint
    and "t2"."at" >= to_timestamp($3::float8)
    and "t2"."at" < to_timestamp($4::float8)
    and "t2"."pv" = $5::bigint
) as "s4" on "t1"."session_id" = "s4"."c4"
inner join (
  select "t5"."at" as "c1", "t5"."pv_id" as "c2", "t5"."session_id" as "c3"
  from "analytics"."page_view" as "t5"
  where "t5"."site_id" = $6::smallint
    and "t5"."at" >= to_timestamp($7::float8)
    and "t5"."at" < to_timestamp($8::float8)
    and "t5"."pv" = $9::bigint
) as "s6" on "t1"."session_id" = "s6"."c3"
where "t1"."site_id" = $10::smallint
  and "t1"."at" >= to_timestamp($11::float8)
  and "t1"."at" < to_timestamp($12::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last,
  "s6"."c1" asc nulls last, "s6"."c2" asc nulls last
limit $13;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1
-- $10 = 1  $11 = 1777561200  $12 = 1780239600  $13 = 2

-- ## the top of a joined view applies before the join
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
inner join (
  select "t2"."pv_id" as "c1", "t2"."at" as "c2", "t2"."session_id" as "c3"
  from "analytics"."page_view" as "t2"
  where "t2"."site_id" = $1::smallint
    and "t2"."at" >= to_timestamp($2::float8)
    and "t2"."at" < to_timestamp($3::float8)
  order by "t2"."pv_id" asc nulls last, "t2"."at" asc nulls last
  limit $4
) as "s3" on "t1"."session_id" = "s3"."c3"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s3"."c1" asc nulls last, "s3"."c2" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1001

-- ## count_only counts joined rows
select "s5"."c1"
from (
  select coalesce(sum(case when "s4"."c2" is null then $1::bigint else "s4"."c1" end), 0) as "c1"
  from "analytics"."page_view" as "t1"
  left join (
    select "s3"."c2" as "c1", "s3"."c1" as "c2"
    from (
      select "t2"."session_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t2"
      where "t2"."site_id" = $2::smallint
        and "t2"."at" >= to_timestamp($3::float8)
        and "t2"."at" < to_timestamp($4::float8)
      group by 1
    ) as "s3"
  ) as "s4" on "t1"."session_id" = "s4"."c2"
  where "t1"."site_id" = $5::smallint
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
) as "s5";
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1777561200  $7 = 1780239600

-- ## with all sites, rows only match within their site
select "d2"."tracking_id" as "r1", "t1"."pv_id" as "r2", "s5"."c3" as "r3"
from "analytics"."page_view" as "t1"
left join "analytics"."site" as "d2" on "d2"."site_id" = "t1"."site_id"
left join (
  select "t3"."at" as "c1", "t3"."pv_id" as "c2", "d4"."country_code" as "c3", "t3"."session_id" as "c4",
    "t3"."site_id" as "c5"
  from "analytics"."page_view" as "t3"
  left join "analytics"."country" as "d4" on "d4"."country_id" = "t3"."country_id"
  where "t3"."site_id" = any($1::smallint[])
    and "t3"."at" >= to_timestamp($2::float8)
    and "t3"."at" < to_timestamp($3::float8)
) as "s5" on "t1"."session_id" = "s5"."c4"
  and "t1"."site_id" = "s5"."c5"
where "t1"."site_id" = any($4::smallint[])
  and "t1"."at" >= to_timestamp($5::float8)
  and "t1"."at" < to_timestamp($6::float8)
  and "t1"."session_id" = $7::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "t1"."site_id" asc nulls last,
  "s5"."c1" asc nulls last, "s5"."c2" asc nulls last
limit $8;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = [1,2,3]  $5 = 1777561200  $6 = 1780239600  $7 = 10
-- $8 = 1001

-- ## in a join, groups by id are separate for each site
select "d2"."tracking_id" as "r1", "t1"."pv_id" as "r2", "s5"."c2" as "r3"
from "analytics"."page_view" as "t1"
left join "analytics"."site" as "d2" on "d2"."site_id" = "t1"."site_id"
inner join (
  select "s4"."c1" as "c1", "s4"."c3" as "c2", "s4"."c2" as "c3"
  from (
    select "t3"."session_id" as "c1", "t3"."site_id" as "c2", count(*) as "c3"
    from "analytics"."page_view" as "t3"
    where "t3"."site_id" = any($1::smallint[])
      and "t3"."at" >= to_timestamp($2::float8)
      and "t3"."at" < to_timestamp($3::float8)
      and "t3"."session_id" = $4::bigint
    group by 1, 2
  ) as "s4"
) as "s5" on "t1"."session_id" = "s5"."c1"
  and "t1"."site_id" = "s5"."c3"
where "t1"."site_id" = any($5::smallint[])
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "t1"."site_id" asc nulls last,
  "s5"."c1" asc nulls last
limit $8;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = [1,2,3]  $6 = 1777561200  $7 = 1780239600
-- $8 = 1001

-- ## a time in fill is printed as written, regardless of daylight saving time
select "t1"."pv_id" as "r1", to_char((case when "s3"."c3" is null then to_timestamp($1::float8) else "s3"."c1" end at time zone make_interval(secs => ($2::float8[])[width_bucket(date_part('epoch', case when "s3"."c3" is null then to_timestamp($3::float8) else "s3"."c1" end), $4::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."event_id" as "c2", "t2"."pv_id" as "c3"
  from "analytics"."event" as "t2"
  where "t2"."site_id" = $5::smallint
    and "t2"."at" >= to_timestamp($6::float8)
    and "t2"."at" < to_timestamp($7::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    ) is not null
    and "t2"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."event_name" = $13::text
    )
) as "s3" on "t1"."pv_id" = "s3"."c3"
where "t1"."site_id" = $14::smallint
  and "t1"."at" >= to_timestamp($15::float8)
  and "t1"."at" < to_timestamp($16::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, case when "s3"."c3" is null then to_timestamp($17::float8) else "s3"."c1" end asc nulls last,
  "s3"."c2" asc nulls last
limit $18;
-- $1 = 1768474800  $2 = [3600,7200,3600]  $3 = 1768474800  $4 = [1774746000,1792890000]  $5 = 2
-- $6 = 1792886400  $7 = 1792969200  $8 = 2  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 2
-- $12 = "d02050ca9da2608e65bc84ed6a8a1f19"  $13 = "purchase"  $14 = 2  $15 = 1792886400  $16 = 1792969200
-- $17 = 1768474800  $18 = 1001

-- ## a time in fill may be the moment of a clock change after the range
select "t1"."pv_id" as "r1", to_char((case when "s3"."c3" is null then to_timestamp($1::float8) else "s3"."c1" end at time zone make_interval(secs => ($2::float8[])[width_bucket(date_part('epoch', case when "s3"."c3" is null then to_timestamp($3::float8) else "s3"."c1" end), $4::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."event_id" as "c2", "t2"."pv_id" as "c3"
  from "analytics"."event" as "t2"
  where "t2"."site_id" = $5::smallint
    and "t2"."at" >= to_timestamp($6::float8)
    and "t2"."at" < to_timestamp($7::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    ) is not null
    and "t2"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."event_name" = $13::text
    )
) as "s3" on "t1"."pv_id" = "s3"."c3"
where "t1"."site_id" = $14::smallint
  and "t1"."at" >= to_timestamp($15::float8)
  and "t1"."at" < to_timestamp($16::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, case when "s3"."c3" is null then to_timestamp($17::float8) else "s3"."c1" end asc nulls last,
  "s3"."c2" asc nulls last
limit $18;
-- $1 = 1806195600  $2 = [7200,3600,7200]  $3 = 1806195600  $4 = [1792890000,1806195600]  $5 = 2
-- $6 = 1792886400  $7 = 1792969200  $8 = 2  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 2
-- $12 = "d02050ca9da2608e65bc84ed6a8a1f19"  $13 = "purchase"  $14 = 2  $15 = 1792886400  $16 = 1792969200
-- $17 = 1806195600  $18 = 1001

-- ## a time in fill may be earlier than all rows
select to_char((case when "s3"."c3" is null then to_timestamp($1::float8) else "s3"."c1" end at time zone make_interval(secs => ($2::float8[])[width_bucket(date_part('epoch', case when "s3"."c3" is null then to_timestamp($3::float8) else "s3"."c1" end), $4::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."event_id" as "c2", "t2"."pv_id" as "c3"
  from "analytics"."event" as "t2"
  where "t2"."site_id" = $5::smallint
    and "t2"."at" >= to_timestamp($6::float8)
    and "t2"."at" < to_timestamp($7::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    ) is not null
    and "t2"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."event_name" = $13::text
    )
) as "s3" on "t1"."pv_id" = "s3"."c3"
where "t1"."site_id" = $14::smallint
  and "t1"."at" >= to_timestamp($15::float8)
  and "t1"."at" < to_timestamp($16::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, case when "s3"."c3" is null then to_timestamp($17::float8) else "s3"."c1" end asc nulls last,
  "s3"."c2" asc nulls last
limit $18;
-- $1 = -2208988800
-- $2 = [0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0,3600,0]
-- $3 = -2208988800
-- $4 = [-2208988799,57722400,69818400,89172000,101268000,120621600,132717600,152071200,164167200,183520800,196221600,214970400,227671200,246420000,259120800,278474400,290570400,309924000,322020000,341373600,354675600,372819600,386125200,404269200,417574800,435718800,449024400,467773200,481078800,499222800,512528400,530672400,543978000,562122000,575427600,593571600,606877200,625626000,638326800,657075600,670381200,688525200,701830800,719974800,733280400,751424400,764730000,782874000,796179600,814323600,828234000,846378000,859683600,877827600,891133200,909277200,922582800,941331600,954032400,972781200,985482000,1004230800,1017536400,1035680400,1048986000,1067130000,1080435600,1099184400,1111885200,1130634000,1143334800,1162083600,1174784400,1193533200,1206838800,1224982800,1238288400,1256432400,1269738000,1288486800,1301187600,1319936400,1332637200,1351386000,1364691600,1382835600,1396141200,1414285200,1427590800,1445734800,1459040400,1477789200,1490490000,1509238800,1521939600,1540688400,1553994000,1572138000,1585443600,1603587600,1616893200,1635642000,1648342800,1667091600,1679792400,1698541200,1711846800,1729990800,1743296400,1761440400,1774746000,1792890000]
-- $5 = 2  $6 = 1792882800  $7 = 1793059200  $8 = 2  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"
-- $11 = 2  $12 = "d02050ca9da2608e65bc84ed6a8a1f19"  $13 = "purchase"  $14 = 2  $15 = 1792882800
-- $16 = 1793059200  $17 = -2208988800  $18 = 1001

-- ## a time in fill may be in the year 1
select to_char((case when "s3"."c3" is null then to_timestamp($1::float8) else "s3"."c1" end at time zone make_interval(secs => ($2::float8[])[width_bucket(date_part('epoch', case when "s3"."c3" is null then to_timestamp($3::float8) else "s3"."c1" end), $4::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."event_id" as "c2", "t2"."pv_id" as "c3"
  from "analytics"."event" as "t2"
  where "t2"."site_id" = $5::smallint
    and "t2"."at" >= to_timestamp($6::float8)
    and "t2"."at" < to_timestamp($7::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    ) is not null
    and "t2"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."event_name" = $13::text
    )
) as "s3" on "t1"."pv_id" = "s3"."c3"
where "t1"."site_id" = $14::smallint
  and "t1"."at" >= to_timestamp($15::float8)
  and "t1"."at" < to_timestamp($16::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, case when "s3"."c3" is null then to_timestamp($17::float8) else "s3"."c1" end asc nulls last,
  "s3"."c2" asc nulls last
limit $18;
-- $1 = -62135457539  $2 = [33539,32400]  $3 = -62135457539  $4 = [-62135457538]  $5 = 2  $6 = 1792854000
-- $7 = 1793026800  $8 = 2  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 2
-- $12 = "d02050ca9da2608e65bc84ed6a8a1f19"  $13 = "purchase"  $14 = 2  $15 = 1792854000  $16 = 1793026800
-- $17 = -62135457539  $18 = 1001
