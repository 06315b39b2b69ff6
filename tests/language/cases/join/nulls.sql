-- ## null matches null, and nothing else
select "s4"."c1" as "r1", "s4"."c2" as "r2", "s10"."c2" as "r3"
from (
  select "d3"."utm_source" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
  from (
    select "t1"."source_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."source_id" = "s2"."c1"
  group by 1
) as "s4"
left join (
  select "s9"."c1" as "c1", "s9"."c2" as "c2", case when "s9"."c1" is not null then "s9"."c1" else $5::text end as "c3",
    ("s9"."c1" is not null)::int as "c4"
  from (
    select "s8"."c1" as "c1", count("s8"."c2") as "c2"
    from (
      select "d7"."utm_source" as "c1", "s6"."c1" as "c2"
      from (
        select "t5"."session_id" as "c1", "t5"."source_id" as "c2"
        from "analytics"."page_view" as "t5"
        where "t5"."site_id" = $6::smallint
          and "t5"."at" >= to_timestamp($7::float8)
          and "t5"."at" < to_timestamp($8::float8)
        group by 1, 2
      ) as "s6"
      left join "analytics"."source" as "d7" on "d7"."site_id" = $9::smallint
        and "d7"."source_id" = "s6"."c2"
      group by 1, 2
    ) as "s8"
    group by 1
  ) as "s9"
) as "s10" on case when "s4"."c1" is not null then "s4"."c1" else $10::text end = "s10"."c3"
  and ("s4"."c1" is not null)::int = "s10"."c4"
order by "s4"."c1" collate "C" asc nulls last, "s10"."c1" collate "C" asc nulls last
limit $11;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = ""  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1
-- $10 = ""  $11 = 1001

-- ## without "nulls": "match", null matches nothing
select "s4"."c1" as "r1", "s10"."c2" as "r2"
from (
  select "d3"."utm_source" as "c1"
  from (
    select "t1"."source_id" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $4::smallint
    and "d3"."source_id" = "s2"."c1"
  group by 1
) as "s4"
left join (
  select "s9"."c1" as "c1", "s9"."c2" as "c2"
  from (
    select "s8"."c1" as "c1", count("s8"."c2") as "c2"
    from (
      select "d7"."utm_source" as "c1", "s6"."c1" as "c2"
      from (
        select "t5"."session_id" as "c1", "t5"."source_id" as "c2"
        from "analytics"."page_view" as "t5"
        where "t5"."site_id" = $5::smallint
          and "t5"."at" >= to_timestamp($6::float8)
          and "t5"."at" < to_timestamp($7::float8)
        group by 1, 2
      ) as "s6"
      left join "analytics"."source" as "d7" on "d7"."site_id" = $8::smallint
        and "d7"."source_id" = "s6"."c2"
      group by 1, 2
    ) as "s8"
    group by 1
  ) as "s9"
) as "s10" on "s4"."c1" = "s10"."c1"
order by "s4"."c1" collate "C" asc nulls last, "s10"."c1" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1001

-- ## null is not 0
select "t1"."browse_sec" as "r1", "s4"."c3" as "r2"
from "analytics"."page_view" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."pv_id" as "c2", "d3"."url" as "c3", case when "t2"."browse_sec" is not null then "t2"."browse_sec" else $1::bigint end as "c4",
    ("t2"."browse_sec" is not null)::int as "c5"
  from "analytics"."page_view" as "t2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $2::smallint
    and "d3"."page_id" = "t2"."page_id"
  where "t2"."site_id" = $3::smallint
    and "t2"."at" >= to_timestamp($4::float8)
    and "t2"."at" < to_timestamp($5::float8)
    and "t2"."pv_id" = $6::bigint
) as "s4" on case when "t1"."browse_sec" is not null then "t1"."browse_sec" else $7::bigint end = "s4"."c4"
  and ("t1"."browse_sec" is not null)::int = "s4"."c5"
where "t1"."site_id" = $8::smallint
  and "t1"."at" >= to_timestamp($9::float8)
  and "t1"."at" < to_timestamp($10::float8)
  and "t1"."pv_id" = $11::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $12;
-- $1 = 0  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 4  $7 = 0  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 5  $12 = 1001

-- ## several pairs, some of which contain null
select "d2"."browser" as "r1", "d3"."title" as "r2", "s9"."c3" as "r3"
from "analytics"."page_view" as "t1"
left join "analytics"."browser" as "d2" on "d2"."browser_id" = "t1"."browser_id"
left join "analytics"."page" as "d3" on "d3"."site_id" = $1::smallint
  and "d3"."page_id" = "t1"."page_id"
inner join (
  select "s8"."c1" as "c1", "s8"."c2" as "c2", "s8"."c3" as "c3", case when "s8"."c1" is not null then "s8"."c1" else $2::text end as "c4",
    ("s8"."c1" is not null)::int as "c5", case when "s8"."c2" is not null then "s8"."c2" else $3::text end as "c6",
    ("s8"."c2" is not null)::int as "c7"
  from (
    select "d6"."browser" as "c1", "d7"."title" as "c2", coalesce(sum("s5"."c3"), 0) as "c3"
    from (
      select "t4"."browser_id" as "c1", "t4"."page_id" as "c2", count(*) as "c3"
      from "analytics"."page_view" as "t4"
      where "t4"."site_id" = $4::smallint
        and "t4"."at" >= to_timestamp($5::float8)
        and "t4"."at" < to_timestamp($6::float8)
      group by 1, 2
    ) as "s5"
    left join "analytics"."browser" as "d6" on "d6"."browser_id" = "s5"."c1"
    left join "analytics"."page" as "d7" on "d7"."site_id" = $7::smallint
      and "d7"."page_id" = "s5"."c2"
    group by 1, 2
  ) as "s8"
) as "s9" on case when "d2"."browser" is not null then "d2"."browser" else $8::text end = "s9"."c4"
  and ("d2"."browser" is not null)::int = "s9"."c5"
  and case when "d3"."title" is not null then "d3"."title" else $9::text end = "s9"."c6"
  and ("d3"."title" is not null)::int = "s9"."c7"
where "t1"."site_id" = $10::smallint
  and "t1"."at" >= to_timestamp($11::float8)
  and "t1"."at" < to_timestamp($12::float8)
order by "d2"."browser" collate "C" asc nulls last, "d3"."title" collate "C" asc nulls last,
  "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s9"."c1" collate "C" asc nulls last,
  "s9"."c2" collate "C" asc nulls last
limit $13;
-- $1 = 1  $2 = ""  $3 = ""  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = ""  $9 = ""  $10 = 1
-- $11 = 1777561200  $12 = 1780239600  $13 = 1001

-- ## fill applies to rows without a match, not to nulls that match
select "s4"."c1" as "r1", case when "s9"."c4" is null then $1::bigint else "s9"."c2" end as "r2",
  case when "s9"."c4" is null then $2::bigint else "s9"."c3" end as "r3"
from (
  select "d3"."utm_source" as "c1"
  from (
    select "t1"."source_id" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
    group by 1
  ) as "s2"
  left join "analytics"."source" as "d3" on "d3"."site_id" = $6::smallint
    and "d3"."source_id" = "s2"."c1"
  group by 1
) as "s4"
left join (
  select "s8"."c1" as "c1", "s8"."c2" as "c2", "s8"."c3" as "c3", case when "s8"."c1" is not null then "s8"."c1" else $7::text end as "c4",
    ("s8"."c1" is not null)::int as "c5"
  from (
    select "d7"."utm_source" as "c1", max("s6"."c2") as "c2", coalesce(sum("s6"."c3"), 0) as "c3"
    from (
      select "t5"."source_id" as "c1", max("t5"."browse_sec") as "c2", count("t5"."browse_sec") as "c3"
      from "analytics"."page_view" as "t5"
      where "t5"."site_id" = $8::smallint
        and "t5"."at" >= to_timestamp($9::float8)
        and "t5"."at" < to_timestamp($10::float8)
        and "t5"."pv_id" = any($11::bigint[])
      group by 1
    ) as "s6"
    left join "analytics"."source" as "d7" on "d7"."site_id" = $12::smallint
      and "d7"."source_id" = "s6"."c1"
    group by 1
  ) as "s8"
) as "s9" on case when "s4"."c1" is not null then "s4"."c1" else $13::text end = "s9"."c4"
  and ("s4"."c1" is not null)::int = "s9"."c5"
order by "s4"."c1" collate "C" asc nulls last, "s9"."c1" collate "C" asc nulls last
limit $14;
-- $1 = -1  $2 = -1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = ""  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = [4,5]  $12 = 1  $13 = ""  $14 = 1001

-- ## rows in null groups are counted, too
select "s7"."c1" as "r1", "s7"."c2" as "r2", count(*) over () as "r3"
from (
  select coalesce(sum(case when "s6"."c3" is null then $1::bigint else "s6"."c2" end), 0) as "c1",
    coalesce(sum("s6"."c1"), 0) as "c2"
  from "analytics"."page_view" as "t1"
  left join "analytics"."source" as "d2" on "d2"."site_id" = $2::smallint
    and "d2"."source_id" = "t1"."source_id"
  left join (
    select "s5"."c3" as "c1", "s5"."c4" as "c2", "s5"."c1" as "c3", "s5"."c2" as "c4"
    from (
      select case when "d4"."utm_source" is not null then "d4"."utm_source" else $3::text end as "c1",
        ("d4"."utm_source" is not null)::int as "c2", coalesce(sum("t3"."browse_sec"), 0) as "c3",
        count(*) as "c4"
      from "analytics"."page_view" as "t3"
      left join "analytics"."source" as "d4" on "d4"."site_id" = $4::smallint
        and "d4"."source_id" = "t3"."source_id"
      where "t3"."site_id" = $5::smallint
        and "t3"."at" >= to_timestamp($6::float8)
        and "t3"."at" < to_timestamp($7::float8)
      group by 1, 2
    ) as "s5"
  ) as "s6" on case when "d2"."utm_source" is not null then "d2"."utm_source" else $8::text end = "s6"."c3"
    and ("d2"."utm_source" is not null)::int = "s6"."c4"
  where "t1"."site_id" = $9::smallint
    and "t1"."at" >= to_timestamp($10::float8)
    and "t1"."at" < to_timestamp($11::float8)
) as "s7"
limit $12;
-- $1 = 1  $2 = 1  $3 = ""  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = ""  $9 = 1  $10 = 1777561200
-- $11 = 1780239600  $12 = 1000
