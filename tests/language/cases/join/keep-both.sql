-- ## rows of both sides without a match stay, after the others, with the key of their side
select coalesce("s4"."c3", "s8"."c1") as "r1", "s4"."c1" as "r2", "s8"."c2" as "r3"
from (
  select "s2"."c2" as "c1", $1::int as "c2", "d3"."url" as "c3"
  from (
    select "t1"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and "t1"."pv" = $5::bigint
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
    and "d3"."page_id" = "s2"."c1"
  where ("s2"."c1" = (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $7::smallint
      and "e"."text_key" = $8::uuid
      and "e"."url" = $9::text
  )) is not true
) as "s4" full
join (
  select "d7"."url" as "c1", "s6"."c2" as "c2"
  from (
    select "t5"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t5"
    where "t5"."site_id" = $10::smallint
      and "t5"."at" >= to_timestamp($11::float8)
      and "t5"."at" < to_timestamp($12::float8)
      and "t5"."is_last"::int = $13::bigint
      and "t5"."pv_id" is distinct from $14::bigint
    group by 1
  ) as "s6"
  left join "analytics"."page" as "d7" on "d7"."site_id" = $15::smallint
    and "d7"."page_id" = "s6"."c1"
) as "s8" on "s4"."c3" = "s8"."c1"
order by "s4"."c2" asc nulls last, "s4"."c3" collate "C" asc nulls last, "s8"."c1" collate "C" asc nulls last
limit $16;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1
-- $8 = "97fe389d91c268c425bbc7cab45ab768"  $9 = "/b"  $10 = 1  $11 = 1777561200  $12 = 1780239600  $13 = 1
-- $14 = 4  $15 = 1  $16 = 1001

-- ## rows without a match are sorted and limited like any others
select coalesce("s4"."c2", "s8"."c1") as "r1", "s8"."c2" as "r2"
from (
  select $1::int as "c1", "d3"."url" as "c2"
  from (
    select "t1"."page_id" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $2::smallint
      and "t1"."at" >= to_timestamp($3::float8)
      and "t1"."at" < to_timestamp($4::float8)
      and "t1"."pv" = $5::bigint
    group by 1
  ) as "s2"
  left join "analytics"."page" as "d3" on "d3"."site_id" = $6::smallint
    and "d3"."page_id" = "s2"."c1"
  where ("s2"."c1" = (
    select "e"."page_id"
    from "analytics"."page" as "e"
    where "e"."site_id" = $7::smallint
      and "e"."text_key" = $8::uuid
      and "e"."url" = $9::text
  )) is not true
) as "s4" full
join (
  select "d7"."url" as "c1", "s6"."c2" as "c2"
  from (
    select "t5"."page_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t5"
    where "t5"."site_id" = $10::smallint
      and "t5"."at" >= to_timestamp($11::float8)
      and "t5"."at" < to_timestamp($12::float8)
      and "t5"."is_last"::int = $13::bigint
      and "t5"."pv_id" is distinct from $14::bigint
    group by 1
  ) as "s6"
  left join "analytics"."page" as "d7" on "d7"."site_id" = $15::smallint
    and "d7"."page_id" = "s6"."c1"
) as "s8" on "s4"."c2" = "s8"."c1"
order by "s8"."c2" desc nulls last, coalesce("s4"."c2", "s8"."c1") collate "C" desc nulls last,
  "s4"."c1" asc nulls last, "s4"."c2" collate "C" asc nulls last, "s8"."c1" collate "C" asc nulls last
limit $16;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = 1  $7 = 1
-- $8 = "97fe389d91c268c425bbc7cab45ab768"  $9 = "/b"  $10 = 1  $11 = 1777561200  $12 = 1780239600  $13 = 1
-- $14 = 4  $15 = 1  $16 = 3

-- ## count_only counts the rows of both sides
select "s9"."c1"
from (
  select count(*) as "c1"
  from (
    select "d3"."url" as "c1"
    from (
      select "t1"."page_id" as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."pv" = $4::bigint
      group by 1
    ) as "s2"
    left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
      and "d3"."page_id" = "s2"."c1"
    where ("s2"."c1" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = $7::uuid
        and "e"."url" = $8::text
    )) is not true
  ) as "s4" full
  join (
    select "d7"."url" as "c1"
    from (
      select "t5"."page_id" as "c1"
      from "analytics"."page_view" as "t5"
      where "t5"."site_id" = $9::smallint
        and "t5"."at" >= to_timestamp($10::float8)
        and "t5"."at" < to_timestamp($11::float8)
        and "t5"."is_last"::int = $12::bigint
        and "t5"."pv_id" is distinct from $13::bigint
      group by 1
    ) as "s6"
    left join "analytics"."page" as "d7" on "d7"."site_id" = $14::smallint
      and "d7"."page_id" = "s6"."c1"
  ) as "s8" on "s4"."c1" = "s8"."c1"
) as "s9";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1  $6 = 1  $7 = "97fe389d91c268c425bbc7cab45ab768"
-- $8 = "/b"  $9 = 1  $10 = 1777561200  $11 = 1780239600  $12 = 1  $13 = 4  $14 = 1

-- ## fill replaces the nulls of a side without a row, but not the key
select coalesce("s4"."c2", "s8"."c1") as "r1", case when "s4"."c1" is not null then "s4"."c3" else $1::bigint end as "r2",
  case when "s8"."c3" is not null then "s8"."c2" else $2::bigint end as "r3"
from (
  select $3::int as "c1", "d3"."country_code" as "c2", "s2"."c2" as "c3"
  from (
    select "t1"."country_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $4::smallint
      and "t1"."at" >= to_timestamp($5::float8)
      and "t1"."at" < to_timestamp($6::float8)
      and (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $7::text
      ) is not null
      and "t1"."device_id" = (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $8::text
      )
    group by 1
  ) as "s2"
  left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c1"
) as "s4" full
join (
  select "d7"."country_code" as "c1", "s6"."c2" as "c2", $9::int as "c3"
  from (
    select "t5"."country_id" as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t5"
    where "t5"."site_id" = $10::smallint
      and "t5"."at" >= to_timestamp($11::float8)
      and "t5"."at" < to_timestamp($12::float8)
      and ("t5"."device_id" = (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $13::text
      )) is not true
    group by 1
  ) as "s6"
  left join "analytics"."country" as "d7" on "d7"."country_id" = "s6"."c1"
) as "s8" on "s4"."c2" = "s8"."c1"
order by "s4"."c1" asc nulls last, "s4"."c2" collate "C" asc nulls last, "s8"."c1" collate "C" asc nulls last
limit $14;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = "PC"  $8 = "PC"  $9 = 1  $10 = 1
-- $11 = 1777561200  $12 = 1780239600  $13 = "PC"  $14 = 1001

-- ## in calcs, fill replaces nulls in decimal columns of the from side
select "s6"."c1" as "r1", "s6"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select count(*) as "c1", coalesce(sum(case when "s2"."c2" is not null then "s2"."c1" else $1::bigint end::text::numeric), 0) as "c2" from (
    select (("t1"."position_x100")::float8 / 100) as "c1", $2::int as "c2", "t1"."page_id" as "c3"
    from "analytics"."search_day" as "t1"
    where "t1"."site_id" = $3::smallint
      and "t1"."day" >= $4::date
      and "t1"."day" < $5::date
  ) as "s2" full join (
    select "s4"."c1" as "c1"
    from (
      select "t3"."page_id" as "c1"
      from "analytics"."page_view" as "t3"
      where "t3"."site_id" = $6::smallint
        and "t3"."at" >= to_timestamp($7::float8)
        and "t3"."at" < to_timestamp($8::float8)
      group by 1
    ) as "s4"
  ) as "s5" on "s2"."c3" = "s5"."c1") as "s6"
  limit $9;
-- $1 = 2  $2 = 1  $3 = 1  $4 = "2026-05-01"  $5 = "2026-06-01"  $6 = 1  $7 = 1777561200  $8 = 1780239600
-- $9 = 1000

-- ## calcs count the key in all rows, and other columns only in rows from their side
select "s8"."c5" as "r1", "s8"."c1" as "r2", "s8"."c2" as "r3", "s8"."c3" as "r4", "s8"."c4" as "r5",
  count(*) over () as "r6"
from (
  select coalesce(sum("s7"."c2"), 0) as "c1", coalesce(sum("s7"."c3"), 0) as "c2", coalesce(sum("s7"."c4"), 0) as "c3",
    coalesce(sum("s7"."c5"), 0) as "c4", count("s7"."c1") as "c5"
  from (
    select coalesce("s3"."c3", "s6"."c2") as "c1", count(*) as "c2", count("s3"."c1") as "c3",
      coalesce(sum("s6"."c1"), 0) as "c4", count("s3"."c2") as "c5"
    from (
      select "t1"."pv_id" as "c1", case when "d2"."url" is distinct from $1::text then "d2"."url" end as "c2",
        "d2"."url" as "c3"
      from "analytics"."page_view" as "t1"
      left join "analytics"."page" as "d2" on "d2"."site_id" = $2::smallint
        and "d2"."page_id" = "t1"."page_id"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
        and (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $6::text
        ) is not null
        and "t1"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $7::text
        )
    ) as "s3" full
    join (
      select "t4"."browse_sec" as "c1", "d5"."url" as "c2"
      from "analytics"."page_view" as "t4"
      left join "analytics"."page" as "d5" on "d5"."site_id" = $8::smallint
        and "d5"."page_id" = "t4"."page_id"
      where "t4"."site_id" = $9::smallint
        and "t4"."at" >= to_timestamp($10::float8)
        and "t4"."at" < to_timestamp($11::float8)
        and ("t4"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $12::text
        )) is not true
    ) as "s6" on "s3"."c3" = "s6"."c2"
    group by 1
  ) as "s7"
) as "s8"
limit $13;
-- $1 = "/"  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = "PC"  $7 = "PC"  $8 = 1  $9 = 1
-- $10 = 1777561200  $11 = 1780239600  $12 = "PC"  $13 = 1000

-- ## rows with null keys do not match, so those of both sides stay
select coalesce("s5"."c3", "s10"."c1") as "r1", "s5"."c1" as "r2", "s10"."c2" as "r3"
from (
  select "s4"."c2" as "c1", $1::int as "c2", "s4"."c1" as "c3"
  from (
    select "d3"."utm_source" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
    from (
      select "t1"."source_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $2::smallint
        and "t1"."at" >= to_timestamp($3::float8)
        and "t1"."at" < to_timestamp($4::float8)
        and (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $5::text
        ) is not null
        and "t1"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $6::text
        )
      group by 1
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $7::smallint
      and "d3"."source_id" = "s2"."c1"
    group by 1
  ) as "s4"
) as "s5" full
join (
  select "s9"."c1" as "c1", "s9"."c2" as "c2"
  from (
    select "d8"."utm_source" as "c1", coalesce(sum("s7"."c2"), 0) as "c2"
    from (
      select "t6"."source_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t6"
      where "t6"."site_id" = $8::smallint
        and "t6"."at" >= to_timestamp($9::float8)
        and "t6"."at" < to_timestamp($10::float8)
        and ("t6"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $11::text
        )) is not true
      group by 1
    ) as "s7"
    left join "analytics"."source" as "d8" on "d8"."site_id" = $12::smallint
      and "d8"."source_id" = "s7"."c1"
    group by 1
  ) as "s9"
) as "s10" on "s5"."c3" = "s10"."c1"
order by "s5"."c2" asc nulls last, "s5"."c3" collate "C" asc nulls last, "s10"."c1" collate "C" asc nulls last
limit $13;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "PC"  $6 = "PC"  $7 = 1  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = "PC"  $12 = 1  $13 = 1001

-- ## null keys that match
select coalesce("s5"."c2", "s10"."c1") as "r1", case when "s5"."c1" is not null then "s5"."c3" else $1::bigint end as "r2",
  case when "s10"."c3" is not null then "s10"."c2" else $2::bigint end as "r3"
from (
  select $3::int as "c1", "s4"."c1" as "c2", "s4"."c2" as "c3", case when "s4"."c1" is not null then "s4"."c1" else $4::text end as "c4",
    ("s4"."c1" is not null)::int as "c5"
  from (
    select "d3"."utm_source" as "c1", coalesce(sum("s2"."c2"), 0) as "c2"
    from (
      select "t1"."source_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $5::smallint
        and "t1"."at" >= to_timestamp($6::float8)
        and "t1"."at" < to_timestamp($7::float8)
        and (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $8::text
        ) is not null
        and "t1"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $9::text
        )
      group by 1
    ) as "s2"
    left join "analytics"."source" as "d3" on "d3"."site_id" = $10::smallint
      and "d3"."source_id" = "s2"."c1"
    group by 1
  ) as "s4"
) as "s5" full
join (
  select "s9"."c1" as "c1", "s9"."c2" as "c2", $11::int as "c3", case when "s9"."c1" is not null then "s9"."c1" else $12::text end as "c4",
    ("s9"."c1" is not null)::int as "c5"
  from (
    select "d8"."utm_source" as "c1", coalesce(sum("s7"."c2"), 0) as "c2"
    from (
      select "t6"."source_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t6"
      where "t6"."site_id" = $13::smallint
        and "t6"."at" >= to_timestamp($14::float8)
        and "t6"."at" < to_timestamp($15::float8)
        and ("t6"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $16::text
        )) is not true
      group by 1
    ) as "s7"
    left join "analytics"."source" as "d8" on "d8"."site_id" = $17::smallint
      and "d8"."source_id" = "s7"."c1"
    group by 1
  ) as "s9"
) as "s10" on "s5"."c4" = "s10"."c4"
  and "s5"."c5" = "s10"."c5"
order by "s5"."c1" asc nulls last, "s5"."c2" collate "C" asc nulls last, "s10"."c1" collate "C" asc nulls last
limit $18;
-- $1 = 0  $2 = 0  $3 = 1  $4 = ""  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = "PC"  $9 = "PC"  $10 = 1
-- $11 = 1  $12 = ""  $13 = 1  $14 = 1777561200  $15 = 1780239600  $16 = "PC"  $17 = 1  $18 = 1001

-- ## a view of the joined rows filters, groups and joins them
select "s15"."c1" as "r1", "s15"."c3" as "r2", "s15"."c2" as "r3", count(*) over () as "r4"
from (
  select "s5"."c1" as "c1", coalesce(sum("s14"."c1"), 0) as "c2", count(distinct coalesce("s5"."c3", "s9"."c1")) as "c3"
  from (
    select "d3"."country_code" as "c1", "s2"."c3" as "c2", "d4"."url" as "c3"
    from (
      select "t1"."country_id" as "c1", "t1"."page_id" as "c2", count(*) as "c3"
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
      group by 1, 2
    ) as "s2"
    left join "analytics"."country" as "d3" on "d3"."country_id" = "s2"."c1"
    left join "analytics"."page" as "d4" on "d4"."site_id" = $6::smallint
      and "d4"."page_id" = "s2"."c2"
  ) as "s5" full
  join (
    select "d8"."url" as "c1"
    from (
      select "t6"."country_id" as "c1", "t6"."page_id" as "c2"
      from "analytics"."page_view" as "t6"
      where "t6"."site_id" = $7::smallint
        and "t6"."at" >= to_timestamp($8::float8)
        and "t6"."at" < to_timestamp($9::float8)
        and ("t6"."device_id" = (
          select "e"."device_id"
          from "analytics"."device" as "e"
          where "e"."device_type" = $10::text
        )) is not true
      group by 1, 2
    ) as "s7"
    left join "analytics"."page" as "d8" on "d8"."site_id" = $11::smallint
      and "d8"."page_id" = "s7"."c2"
  ) as "s9" on "s5"."c3" = "s9"."c1"
  left join (
    select "s12"."c2" as "c1", "d13"."url" as "c2"
    from (
      select "s11"."c2" as "c1", coalesce(sum("s11"."c3"), 0) as "c2"
      from (
        select "t10"."country_id" as "c1", "t10"."page_id" as "c2", count(*) as "c3"
        from "analytics"."page_view" as "t10"
        where "t10"."site_id" = $12::smallint
          and "t10"."at" >= to_timestamp($13::float8)
          and "t10"."at" < to_timestamp($14::float8)
          and ("t10"."device_id" = (
            select "e"."device_id"
            from "analytics"."device" as "e"
            where "e"."device_type" = $15::text
          )) is not true
        group by 1, 2
      ) as "s11"
      group by 1
    ) as "s12"
    left join "analytics"."page" as "d13" on "d13"."site_id" = $16::smallint
      and "d13"."page_id" = "s12"."c1"
  ) as "s14" on coalesce("s5"."c3", "s9"."c1") = "s14"."c2"
  where "s5"."c2" is null
  group by 1
) as "s15"
order by "s15"."c1" collate "C" asc nulls last
limit $17;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "PC"  $5 = "PC"  $6 = 1  $7 = 1  $8 = 1777561200
-- $9 = 1780239600  $10 = "PC"  $11 = 1  $12 = 1  $13 = 1777561200  $14 = 1780239600  $15 = "PC"  $16 = 1
-- $17 = 1000

-- ## two materials, both read within the time range
select coalesce("s3"."c4", "s6"."c4") as "r1", "s3"."c1" as "r2", "s6"."c3" as "r3"
from (
  select "d2"."url" as "c1", $1::int as "c2", "t1"."at" as "c3", "t1"."pv_id" as "c4"
  from "analytics"."page_view" as "t1"
  left join "analytics"."page" as "d2" on "d2"."site_id" = $2::smallint
    and "d2"."page_id" = "t1"."page_id"
  where "t1"."site_id" = $3::smallint
    and "t1"."at" >= to_timestamp($4::float8)
    and "t1"."at" < to_timestamp($5::float8)
    and "t1"."pv_id" = any($6::bigint[])
) as "s3" full
join (
  select "t4"."at" as "c1", "t4"."click_id" as "c2", "d5"."selector" as "c3", "t4"."pv_id" as "c4"
  from "analytics"."click" as "t4"
  left join "analytics"."selector" as "d5" on "d5"."site_id" = $7::smallint
    and "d5"."selector_id" = "t4"."selector_id"
  where "t4"."site_id" = $8::smallint
    and "t4"."at" >= to_timestamp($9::float8)
    and "t4"."at" < to_timestamp($10::float8)
) as "s6" on "s3"."c4" = "s6"."c4"
order by "s3"."c2" asc nulls last, "s3"."c3" asc nulls last, "s3"."c4" asc nulls last, "s6"."c1" asc nulls last,
  "s6"."c2" asc nulls last
limit $11;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = [2,4]  $7 = 1  $8 = 1  $9 = 1777561200
-- $10 = 1780239600  $11 = 1001

-- ## constants from the left side are null in rows that only the right side has
select coalesce("s3"."c5", "s5"."c2") as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3", "s5"."c3" as "r4"
from (
  select ("d2"."session_id" is not null)::int as "c1", to_char(("t1"."at" at time zone make_interval(secs => $1::float8)), 'YYYY-MM') as "c2",
    $2::int as "c3", "t1"."at" as "c4", "t1"."pv_id" as "c5"
  from "analytics"."page_view" as "t1"
  left join "analytics"."conversion" as "d2" on "d2"."site_id" = $3::smallint
    and "d2"."goal_no" = $4::smallint
    and "d2"."session_id" = "t1"."session_id"
  where "t1"."site_id" = $5::smallint
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
    and "t1"."pv_id" = $8::bigint
) as "s3" full
join (
  select "t4"."at" as "c1", "t4"."pv_id" as "c2", "t4"."browse_sec" as "c3"
  from "analytics"."page_view" as "t4"
  where "t4"."site_id" = $9::smallint
    and "t4"."at" >= to_timestamp($10::float8)
    and "t4"."at" < to_timestamp($11::float8)
    and "t4"."pv_id" = any($12::bigint[])
) as "s5" on "s3"."c5" = "s5"."c2"
order by "s3"."c3" asc nulls last, "s3"."c4" asc nulls last, "s3"."c5" asc nulls last, "s5"."c1" asc nulls last,
  "s5"."c2" asc nulls last
limit $13;
-- $1 = 32400  $2 = 1  $3 = 1  $4 = 1  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1
-- $10 = 1777561200  $11 = 1780239600  $12 = [1,6]  $13 = 1001

-- ## with all sites, rows match only within their site, and rows without a match keep their site
select "s8"."c1" as "r1", "s8"."c3" as "r2", "s8"."c4" as "r3", "s8"."c5" as "r4", count(*) over () as "r5"
from (
  select coalesce("s3"."c2", "s7"."c4") as "c1", coalesce("s3"."c3", "s7"."c2") as "c2", count(*) as "c3",
    count(distinct (coalesce("s3"."c3", "s7"."c2"), coalesce("s3"."c1", "s7"."c1"))) filter (where coalesce("s3"."c1", "s7"."c1") is not null) as "c4",
    count("s7"."c3") as "c5"
  from (
    select "t1"."pv_id" as "c1", "d2"."tracking_id" as "c2", "t1"."site_id" as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."site" as "d2" on "d2"."site_id" = "t1"."site_id"
    where "t1"."site_id" = any($1::smallint[])
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
  ) as "s3" full
  join (
    select "t4"."pv_id" as "c1", "t4"."site_id" as "c2", "d6"."url" as "c3", "d5"."tracking_id" as "c4"
    from "analytics"."page_view" as "t4"
    left join "analytics"."site" as "d5" on "d5"."site_id" = "t4"."site_id"
    left join "analytics"."page" as "d6" on "d6"."site_id" = "t4"."site_id"
      and "d6"."page_id" = "t4"."page_id"
    where "t4"."site_id" = any($6::smallint[])
      and "t4"."at" >= to_timestamp($7::float8)
      and "t4"."at" < to_timestamp($8::float8)
      and ("t4"."device_id" = (
        select "e"."device_id"
        from "analytics"."device" as "e"
        where "e"."device_type" = $9::text
      )) is not true
  ) as "s7" on "s3"."c1" = "s7"."c1"
    and "s3"."c2" = "s7"."c4"
    and "s3"."c3" = "s7"."c2"
  group by 1, 2
) as "s8"
order by "s8"."c1" collate "C" asc nulls last, "s8"."c2" asc nulls last
limit $10;
-- $1 = [1,2,3]  $2 = 1777561200  $3 = 1780239600  $4 = "PC"  $5 = "PC"  $6 = [1,2,3]  $7 = 1777561200
-- $8 = 1780239600  $9 = "PC"  $10 = 1000

-- ## rows that only the right side has form one group of the left columns
select "s7"."c1" as "r1", "s7"."c2" as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", max("s6"."c1") as "c2"
  from (
    select "s2"."c1" as "c1", "s2"."c2" as "c2"
    from (
      select "t1"."pv_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."pv_id" = any($4::bigint[])
      group by 1
    ) as "s2"
  ) as "s3" full
  join (
    select "s5"."c2" as "c1", "s5"."c1" as "c2"
    from (
      select "t4"."browse_sec" as "c1", max("t4"."pv_id") as "c2"
      from "analytics"."page_view" as "t4"
      where "t4"."site_id" = $5::smallint
        and "t4"."at" >= to_timestamp($6::float8)
        and "t4"."at" < to_timestamp($7::float8)
      group by 1
    ) as "s5"
  ) as "s6" on "s3"."c2" = "s6"."c2"
  group by 1
) as "s7"
order by "s7"."c1" asc nulls last
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,2]  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1000
