-- ## two views on a text column
select "s4"."c1" as "r1", "s4"."c2" as "r2", case when "s9"."c1" is null then $1::bigint else "s9"."c2" end as "r3"
from (
  select "d3"."title" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
  from (
    select "t1"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
    and "d3"."page_id" = "s2"."c1"
  group by 1
) as "s4"
left join (
  select "s8"."c1" as "c1", "s8"."c2" as "c2"
  from (
    select "d7"."title" as "c1", coalesce(sum("s6"."c2"), 0) as "c2"
    from (
      select "t5"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t5"
      where "t5"."site_id" = $6::smallint
        and "t5"."at" >= to_timestamp($7::float8)
        and "t5"."at" < to_timestamp($8::float8)
        and "t5"."pv" = $9::bigint
      group by 1
    ) as "s6"
    left join "analytics"."page" as "d7" on "d7"."site_id" = $10::smallint
      and "d7"."page_id" = "s6"."c1"
    group by 1
  ) as "s8"
) as "s9" on "s4"."c1" = "s9"."c1"
order by "s4"."c1" collate "C" asc nulls last, "s9"."c1" collate "C" asc nulls last
limit $11;
-- $1 = 0  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1
-- $10 = 1  $11 = 1001

-- ## two views on columns with different names, including calcs
select "s2"."c1" as "r1", "s5"."c2" as "r2"
from (
  select "t1"."session_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
inner join (
  select "s4"."c1" as "c1", "s4"."c2" as "c2"
  from (
    select "t3"."pv" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t3"
    where "t3"."site_id" = $4::smallint
      and "t3"."at" >= to_timestamp($5::float8)
      and "t3"."at" < to_timestamp($6::float8)
    group by 1
  ) as "s4"
) as "s5" on "s2"."c2" = "s5"."c1"
order by "s2"."c1" asc nulls last, "s5"."c1" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1001

-- ## a material's key and a view's id, both page ids
select "d2"."url" as "r1", "s4"."c2" as "r2"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
inner join (
  select "t3"."at" as "c1", "t3"."pv_id" as "c2", "t3"."prev_page_id" as "c3"
  from "analytics"."page_view" as "t3"
  where "t3"."site_id" = $2::smallint
    and "t3"."at" >= to_timestamp($3::float8)
    and "t3"."at" < to_timestamp($4::float8)
    and "t3"."pv" = $5::bigint
) as "s4" on "t1"."page_id" = "s4"."c3"
where "t1"."site_id" = $6::smallint
  and "t1"."at" >= to_timestamp($7::float8)
  and "t1"."at" < to_timestamp($8::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last, "s4"."c1" asc nulls last, "s4"."c2" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 2  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1001

-- ## groups across all sites are joined with groups across all sites
select "d3"."country_code" as "r1", "s2"."c2" as "r2", "s8"."c2" as "r3"
from (
  select "t1"."country_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = any($1::smallint[])
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  group by 1
) as "s2"
left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c1"
left join (
  select "d7"."country_code" as "c1", "s6"."c2" as "c2"
  from (
    select "s5"."c1" as "c1", count("s5"."c2") as "c2"
    from (
      select "t4"."country_id" as "c1", "t4"."reader_id" as "c2", "t4"."site_id" as "c3"
      from "analytics"."page_view" as "t4"
      where "t4"."site_id" = any($4::smallint[])
        and "t4"."at" >= to_timestamp($5::float8)
        and "t4"."at" < to_timestamp($6::float8)
      group by 1, 2, 3
    ) as "s5"
    group by 1
  ) as "s6"
  left join "analytics"."country" as "d7" on "d7"."country_id" = "s6"."c1"
) as "s8" on "d3"."country_code" = "s8"."c1"
order by "d3"."country_code" collate "C" asc nulls last, "s8"."c1" collate "C" asc nulls last
limit $7;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1793458800  $4 = [1,2,3]  $5 = 1777561200  $6 = 1793458800  $7 = 1001

-- ## groups across all sites are joined with rows from each site
select "s8"."c4" as "r1", "s8"."c2" as "r2", "s4"."c2" as "r3"
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
left join (
  select "t5"."at" as "c1", "t5"."pv_id" as "c2", "t5"."site_id" as "c3", "d7"."tracking_id" as "c4",
    "d6"."url" as "c5"
  from "analytics"."page_view" as "t5"
  left join "analytics"."page" as "d6" on "d6"."site_id" = "t5"."site_id"
    and "d6"."page_id" = "t5"."page_id"
  left join "analytics"."site" as "d7" on "d7"."site_id" = "t5"."site_id"
  where "t5"."site_id" = any($7::smallint[])
    and "t5"."at" >= to_timestamp($8::float8)
    and "t5"."at" < to_timestamp($9::float8)
) as "s8" on "s4"."c1" = "s8"."c5"
order by "s4"."c1" collate "C" asc nulls last, "s8"."c1" asc nulls last, "s8"."c2" asc nulls last,
  "s8"."c3" asc nulls last
limit $10;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1793458800  $4 = [1,2,3]  $5 = "8068ee95affd9273f0622bdbb25546b6"
-- $6 = "/"  $7 = [1,2,3]  $8 = 1777561200  $9 = 1793458800  $10 = 1001

-- ## distinct visitors on two days, by device
select "d4"."device_type" as "r1", "s3"."c2" as "r2", case when "s9"."c1" is null then $1::bigint else "s9"."c2" end as "r3"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select "t1"."device_id" as "c1", "t1"."reader_id" as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
left join (
  select "d8"."device_type" as "c1", "s7"."c2" as "c2"
  from (
    select "s6"."c1" as "c1", count("s6"."c2") as "c2"
    from (
      select "t5"."device_id" as "c1", "t5"."reader_id" as "c2"
      from "analytics"."page_view" as "t5"
      where "t5"."site_id" = $5::smallint
        and "t5"."at" >= to_timestamp($6::float8)
        and "t5"."at" < to_timestamp($7::float8)
      group by 1, 2
    ) as "s6"
    group by 1
  ) as "s7"
  left join "analytics"."device" as "d8" on "d8"."device_id" = "s7"."c1"
) as "s9" on "d4"."device_type" = "s9"."c1"
order by "d4"."device_type" collate "C" asc nulls last, "s9"."c1" collate "C" asc nulls last
limit $8;
-- $1 = 0  $2 = 1  $3 = 1777561200  $4 = 1777647600  $5 = 1  $6 = 1777647600  $7 = 1777734000  $8 = 1001

-- ## MIN and MAX of an id column are ids
select "s2"."c1" as "r1", "s5"."c3" as "r2", "s8"."c3" as "r3"
from (
  select "t1"."session_id" as "c1", min("t1"."pv_id") as "c2", max("t1"."pv_id") as "c3"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."session_id" < $4::bigint
  group by 1
) as "s2"
left join (
  select "t3"."at" as "c1", "t3"."pv_id" as "c2", "d4"."url" as "c3"
  from "analytics"."page_view" as "t3"
  left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
    and "d4"."page_id" = "t3"."page_id"
  where "t3"."site_id" = $6::smallint
    and "t3"."at" >= to_timestamp($7::float8)
    and "t3"."at" < to_timestamp($8::float8)
) as "s5" on "s2"."c2" = "s5"."c2"
left join (
  select "t6"."at" as "c1", "t6"."pv_id" as "c2", "d7"."title" as "c3"
  from "analytics"."page_view" as "t6"
  left join "analytics"."page" as "d7" on "d7"."site_id" = $9::smallint
    and "d7"."page_id" = "t6"."page_id"
  where "t6"."site_id" = $10::smallint
    and "t6"."at" >= to_timestamp($11::float8)
    and "t6"."at" < to_timestamp($12::float8)
) as "s8" on "s2"."c3" = "s8"."c2"
order by "s2"."c1" asc nulls last, "s5"."c1" asc nulls last, "s5"."c2" asc nulls last, "s8"."c1" asc nulls last,
  "s8"."c2" asc nulls last
limit $13;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 13  $5 = 1  $6 = 1  $7 = 1777561200  $8 = 1780239600  $9 = 1
-- $10 = 1  $11 = 1777561200  $12 = 1780239600  $13 = 1001
