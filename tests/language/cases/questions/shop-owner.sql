-- ## How much did we sell?
select "s2"."c1"::float8 as "r1", count(*) over () as "r2"
from (
  select coalesce(sum(case when jsonb_typeof("t1"."params" -> $1::text) = 'number' then ("t1"."params" ->> $2::text)::float8 end::text::numeric), 0) as "c1" from "analytics"."event" as "t1" where "t1"."site_id" = $3::smallint and "t1"."at" >= to_timestamp($4::float8) and "t1"."at" < to_timestamp($5::float8) and (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $6::smallint
      and "e"."text_key" = $7::uuid
      and "e"."event_name" = $8::text
  ) is not null and "t1"."event_name_id" = (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $9::smallint
      and "e"."text_key" = $10::uuid
      and "e"."event_name" = $11::text
  )) as "s2"
  limit $12;
-- $1 = "value"  $2 = "value"  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1
-- $7 = "d02050ca9da2608e65bc84ed6a8a1f19"  $8 = "purchase"  $9 = 1  $10 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $11 = "purchase"  $12 = 1000

-- ## What is the revenue in each currency?
select "s2"."c1" as "r1", "s2"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select ("t1"."params" ->> $1::text) as "c1", coalesce(sum(case when jsonb_typeof("t1"."params" -> $2::text) = 'number' then ("t1"."params" ->> $3::text)::float8 end::text::numeric), 0) as "c2" from "analytics"."event" as "t1" where "t1"."site_id" = $4::smallint and "t1"."at" >= to_timestamp($5::float8) and "t1"."at" < to_timestamp($6::float8) and (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $7::smallint
      and "e"."text_key" = $8::uuid
      and "e"."event_name" = $9::text
  ) is not null and "t1"."event_name_id" = (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $10::smallint
      and "e"."text_key" = $11::uuid
      and "e"."event_name" = $12::text
  ) group by 1) as "s2"
  order by "s2"."c1" collate "C" asc nulls last
  limit $13;
-- $1 = "currency"  $2 = "value"  $3 = "value"  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = 1  $11 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $12 = "purchase"  $13 = 1000

-- ## How many visits included a purchase?
select "s3"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s2"."c1") as "c1"
  from (
    select "t1"."session_id" as "c1"
    from "analytics"."event" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and (
        select "e"."event_name_id"
        from "analytics"."event_name" as "e"
        where "e"."site_id" = $4::smallint
          and "e"."text_key" = $5::uuid
          and "e"."event_name" = $6::text
      ) is not null
      and "t1"."event_name_id" = (
        select "e"."event_name_id"
        from "analytics"."event_name" as "e"
        where "e"."site_id" = $7::smallint
          and "e"."text_key" = $8::uuid
          and "e"."event_name" = $9::text
      )
    group by 1
  ) as "s2"
) as "s3"
limit $10;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "d02050ca9da2608e65bc84ed6a8a1f19"  $6 = "purchase"
-- $7 = 1  $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = 1000

-- ## What share of all visits included a purchase?
select "s8"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s7"."c1" as "c1", "s7"."c2" as "c2", ("s7"."c3" * round(1::numeric, 50) / "s7"."c4")::float8 as "c3"
  from (
    select "s6"."c1" as "c1", "s6"."c2" as "c2", ((100)::numeric * ("s6"."c1")::numeric) as "c3",
      nullif(("s6"."c2")::numeric, 0) as "c4"
    from (
      select count("s5"."c1") as "c1", count(*) as "c2"
      from (
        select "t1"."session_id" as "c1"
        from "analytics"."page_view" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
        group by 1
      ) as "s2"
      left join (
        select "s4"."c2" as "c1", "s4"."c1" as "c2"
        from (
          select "t3"."session_id" as "c1", count(*) as "c2"
          from "analytics"."event" as "t3"
          where "t3"."site_id" = $4::smallint
            and "t3"."at" >= to_timestamp($5::float8)
            and "t3"."at" < to_timestamp($6::float8)
            and (
              select "e"."event_name_id"
              from "analytics"."event_name" as "e"
              where "e"."site_id" = $7::smallint
                and "e"."text_key" = $8::uuid
                and "e"."event_name" = $9::text
            ) is not null
            and "t3"."event_name_id" = (
              select "e"."event_name_id"
              from "analytics"."event_name" as "e"
              where "e"."site_id" = $10::smallint
                and "e"."text_key" = $11::uuid
                and "e"."event_name" = $12::text
            )
          group by 1
        ) as "s4"
      ) as "s5" on "s2"."c1" = "s5"."c2"
    ) as "s6"
  ) as "s7"
) as "s8"
limit $13;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = 1  $11 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $12 = "purchase"  $13 = 1000

-- ## Which elements are clicked most?
select "d4"."selector" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3"
from (
  (
    select "s2"."c2" as "c1", count(*) over () as "c2", "s2"."c1" as "c3"
    from (
      select "t1"."selector_id" as "c1", count(*) as "c2"
      from "analytics"."click" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."selector" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."selector_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."selector" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000  $5 = 1  $6 = 1000

-- ## How many clicks on Buy come from each device?
select "d6"."device_type" as "r1", "s5"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."device_id" as "c1", coalesce(sum("s4"."c1"), 0) as "c2"
  from "analytics"."page_view" as "t1"
  inner join (
    select "s3"."c2" as "c1", "s3"."c1" as "c2"
    from (
      select "t2"."pv_id" as "c1", count(*) as "c2"
      from "analytics"."click" as "t2"
      where "t2"."site_id" = $1::smallint
        and "t2"."at" >= to_timestamp($2::float8)
        and "t2"."at" < to_timestamp($3::float8)
        and (
          select "e"."selector_id"
          from "analytics"."selector" as "e"
          where "e"."site_id" = $4::smallint
            and "e"."text_key" = $5::uuid
            and "e"."selector" = $6::text
        ) is not null
        and "t2"."selector_id" = (
          select "e"."selector_id"
          from "analytics"."selector" as "e"
          where "e"."site_id" = $7::smallint
            and "e"."text_key" = $8::uuid
            and "e"."selector" = $9::text
        )
      group by 1
    ) as "s3"
  ) as "s4" on "t1"."pv_id" = "s4"."c2"
  where "t1"."site_id" = $10::smallint
    and "t1"."at" >= to_timestamp($11::float8)
    and "t1"."at" < to_timestamp($12::float8)
  group by 1
) as "s5"
left join "analytics"."device" as "d6" on "d6"."device_id" = "s5"."c1"
order by "d6"."device_type" collate "C" asc nulls last
limit $13;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "666b22b70572576c05ccba10da45d7a5"  $6 = "#buy"
-- $7 = 1  $8 = "666b22b70572576c05ccba10da45d7a5"  $9 = "#buy"  $10 = 1  $11 = 1777561200  $12 = 1780239600
-- $13 = 1000

-- ## On which devices did visitors click Buy?
select "d4"."device_type" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "s2"."c1" as "c1", count("s2"."c2") as "c2"
  from (
    select "t1"."device_id" as "c1", "t1"."session_id" as "c2"
    from "analytics"."conversion_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
      and "t1"."goal_no" = $4::bigint
    group by 1, 2
  ) as "s2"
  group by 1
) as "s3"
left join "analytics"."device" as "d4" on "d4"."device_id" = "s3"."c1"
order by "d4"."device_type" collate "C" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1000

-- ## On which pages did visits with a click on Buy begin?
select "d5"."url" as "r1", "s4"."c2" as "r2", count(*) over () as "r3"
from (
  select "s3"."c1" as "c1", count("s3"."c2") as "c2"
  from (
    select "t1"."page_id" as "c1", "t1"."session_id" as "c2"
    from "analytics"."page_view" as "t1"
    left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."goal_no" = $2::smallint
      and "d2"."session_id" = "t1"."session_id"
    where "t1"."site_id" = $3::smallint
      and "t1"."at" >= to_timestamp($4::float8)
      and "t1"."at" < to_timestamp($5::float8)
      and "t1"."pv" = $6::bigint
      and ("d2"."session_id" is not null)::int = $7::bigint
    group by 1, 2
  ) as "s3"
  group by 1
) as "s4"
left join "analytics"."page" as "d5" on "d5"."site_id" = $8::smallint
  and "d5"."page_id" = "s4"."c1"
order by "d5"."url" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 2  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 1  $8 = 1  $9 = 1000

-- ## What is the average value of a purchase?
select "s5"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 50) / "s4"."c4")::float8 as "c3"
  from (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", nullif(("s3"."c2")::numeric, 0) as "c4"
    from (
      select "s2"."c1" as "c1", "s2"."c2" as "c2", ("s2"."c1")::text::numeric as "c3"
      from (
        select coalesce(sum(case when jsonb_typeof("t1"."params" -> $1::text) = 'number' then ("t1"."params" ->> $2::text)::float8 end::text::numeric), 0) as "c1", count(case when jsonb_typeof("t1"."params" -> $3::text) = 'number' then ("t1"."params" ->> $4::text)::float8 end) as "c2" from "analytics"."event" as "t1" where "t1"."site_id" = $5::smallint and "t1"."at" >= to_timestamp($6::float8) and "t1"."at" < to_timestamp($7::float8) and (
          select "e"."event_name_id"
          from "analytics"."event_name" as "e"
          where "e"."site_id" = $8::smallint
            and "e"."text_key" = $9::uuid
            and "e"."event_name" = $10::text
        ) is not null and "t1"."event_name_id" = (
          select "e"."event_name_id"
          from "analytics"."event_name" as "e"
          where "e"."site_id" = $11::smallint
            and "e"."text_key" = $12::uuid
            and "e"."event_name" = $13::text
        )) as "s2"
      ) as "s3"
    ) as "s4"
  ) as "s5"
  limit $14;
-- $1 = "value"  $2 = "value"  $3 = "value"  $4 = "value"  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1
-- $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 1  $12 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $13 = "purchase"  $14 = 1000

-- ## How far down the page do visitors click on average?
select "s5"."c3"::float8 as "r1", count(*) over () as "r2"
from (
  select "s4"."c1" as "c1", "s4"."c2" as "c2", ("s4"."c3" * round(1::numeric, 50) / "s4"."c4")::float8 as "c3"
  from (
    select "s3"."c1" as "c1", "s3"."c2" as "c2", "s3"."c3" as "c3", nullif(("s3"."c2")::numeric, 0) as "c4"
    from (
      select "s2"."c1" as "c1", "s2"."c2" as "c2", ("s2"."c1")::text::numeric as "c3"
      from (
        select coalesce(sum("t1"."page_y_pct"::text::numeric), 0) as "c1", count("t1"."page_y_pct") as "c2"
        from "analytics"."click" as "t1"
        where "t1"."site_id" = $1::smallint
          and "t1"."at" >= to_timestamp($2::float8)
          and "t1"."at" < to_timestamp($3::float8)
      ) as "s2"
    ) as "s3"
  ) as "s4"
) as "s5"
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1000

-- ## How many visitors called us?
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."click" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."action_id" = $4::bigint
) as "s2"
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1000

-- ## On which pages do visitors rage-click?
select "d4"."url" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3"
from (
  (
    select "s2"."c2" as "c1", count(*) over () as "c2", "s2"."c1" as "c3"
    from (
      select "t1"."page_id" as "c1", coalesce(sum("t1"."irritation_click_count"), 0) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."irritation_click_count" > $4::bigint
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($5::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."page_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1000  $6 = 1  $7 = 1000

-- ## On which pages do visits end?
select "d4"."url" as "r1", "s3"."c1" as "r2", "s3"."c2" as "r3"
from (
  (
    select "s2"."c2" as "c1", count(*) over () as "c2", "s2"."c1" as "c3"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
        and "t1"."is_last"::int = $4::bigint
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($5::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."page_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1000  $6 = 1  $7 = 1000

-- ## How many visits included page A but no click on Buy?
select "s5"."c1" as "r1", count(*) over () as "r2"
from (
  select count("s4"."c1") as "c1"
  from (
    select "t1"."session_id" as "c1"
    from "analytics"."page_view" as "t1"
    left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
      and "d2"."goal_no" = $2::smallint
      and "d2"."session_id" = "t1"."session_id"
    left join "analytics"."conversion" as "d3" on "d3"."site_id" = $3::smallint
      and "d3"."goal_no" = $4::smallint
      and "d3"."session_id" = "t1"."session_id"
    where "t1"."site_id" = $5::smallint
      and "t1"."at" >= to_timestamp($6::float8)
      and "t1"."at" < to_timestamp($7::float8)
      and "t1"."pv" = $8::bigint
      and ("d2"."session_id" is not null)::int = $9::bigint
      and ("d3"."session_id" is not null)::int = $10::bigint
    group by 1
  ) as "s4"
) as "s5"
limit $11;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 2  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1  $9 = 1  $10 = 0  $11 = 1000

-- ## How many seconds pass from a visit's first view to its purchase?
select "s7"."c1" as "r1", "s7"."c4"::float8 as "r2", count(*) over () as "r3"
from (
  select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3", ("s6"."c4" * round(1::numeric, 21) / "s6"."c5")::float8 as "c4"
  from (
    select "s2"."c1" as "c1", "s5"."c1" as "c2", "s2"."c2" as "c3", ((extract(epoch from "s5"."c1"))::numeric - (extract(epoch from "s2"."c2"))::numeric) as "c4",
      (1)::numeric as "c5"
    from (
      select "t1"."session_id" as "c1", min("t1"."at") as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    inner join (
      select "s4"."c2" as "c1", "s4"."c1" as "c2"
      from (
        select "t3"."session_id" as "c1", min("t3"."at") as "c2"
        from "analytics"."event" as "t3"
        where "t3"."site_id" = $4::smallint
          and "t3"."at" >= to_timestamp($5::float8)
          and "t3"."at" < to_timestamp($6::float8)
          and (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $7::smallint
              and "e"."text_key" = $8::uuid
              and "e"."event_name" = $9::text
          ) is not null
          and "t3"."event_name_id" = (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $10::smallint
              and "e"."text_key" = $11::uuid
              and "e"."event_name" = $12::text
          )
        group by 1
      ) as "s4"
    ) as "s5" on "s2"."c1" = "s5"."c2"
  ) as "s6"
) as "s7"
order by "s7"."c1" asc nulls last
limit $13;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "d02050ca9da2608e65bc84ed6a8a1f19"  $9 = "purchase"  $10 = 1  $11 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $12 = "purchase"  $13 = 1000

-- ## How many purchases were there in each week, including weeks without any?
select to_char("s9"."c1", 'YYYY-MM-DD') as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "u8"."c1" as "c1", coalesce(max("u8"."c2"), 0) as "c2"
  from (with "g5" as materialized (
    select "period"."value" as "c1", "s3"."c1" as "c2"
    from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
    cross join lateral (
      select "s2"."c1" as "c1", "s2"."c2" as "c2"
      from (
        select count(*) as "c1", count(*) as "c2"
        from "analytics"."event" as "t1"
        where "t1"."site_id" = $4::smallint
          and "t1"."at" >= to_timestamp("period"."first")
          and "t1"."at" < to_timestamp("period"."last")
          and (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $5::smallint
              and "e"."text_key" = $6::uuid
              and "e"."event_name" = $7::text
          ) is not null
          and "t1"."event_name_id" = (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $8::smallint
              and "e"."text_key" = $9::uuid
              and "e"."event_name" = $10::text
          )
      ) as "s2"
    ) as "s3"
    where "s3"."c2" > $11::bigint
  ), "o6" as materialized (
    select 1
  ), "p7" as materialized (
    select (date '1970-01-01' + ("d4"."number" * 7 - 3)) as "c1"
    from (
      select generate_series(first, last) as number
      from unnest($12::int[], $13::int[]) as spans(first, last)
    ) as "d4"
  ) select "c1", "c2" from "g5" union all select "c1", null from "o6" cross join "p7" where (
    select case when cells > 1000000 then (concat($14::text, cells))::int else 0 end
    from (
      select (
        select count(*)
        from "o6"
      ) * (
        select count(*)
        from "p7"
      ) as cells
    ) as counted
  ) = 0) as "u8"
  group by 1
) as "s9"
order by "s9"."c1" asc nulls last
limit $15;
-- $1 = ["2026-04-27","2026-05-04","2026-05-11","2026-05-18","2026-05-25"]
-- $2 = [1777561200,1777820400,1778425200,1779030000,1779634800]
-- $3 = [1777820400,1778425200,1779030000,1779634800,1780239600]  $4 = 1  $5 = 1
-- $6 = "d02050ca9da2608e65bc84ed6a8a1f19"  $7 = "purchase"  $8 = 1  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $10 = "purchase"  $11 = 0  $12 = [2939]  $13 = [2943]  $14 = "too many periods to fill: v "  $15 = 1000

-- ## Which pages are viewed most in visits that included page A?
select "d5"."url" as "r1", "s4"."c1" as "r2"
from (
  (
    select "s3"."c2" as "c1", "s3"."c1" as "c2"
    from (
      select "t1"."page_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      left join "analytics"."conversion" as "d2" on "d2"."site_id" = $1::smallint
        and "d2"."goal_no" = $2::smallint
        and "d2"."session_id" = "t1"."session_id"
      where "t1"."site_id" = $3::smallint
        and "t1"."at" >= to_timestamp($4::float8)
        and "t1"."at" < to_timestamp($5::float8)
        and ("d2"."session_id" is not null)::int = $6::bigint
      group by 1
    ) as "s3"
    order by "s3"."c2" desc nulls last
  ) fetch first ($7::bigint) rows with ties
) as "s4"
left join "analytics"."page" as "d5" on "d5"."site_id" = $8::smallint
  and "d5"."page_id" = "s4"."c2"
order by "s4"."c1" desc nulls last, "d5"."url" collate "C" asc nulls last
limit $9;
-- $1 = 1  $2 = 1  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1  $7 = 5  $8 = 1  $9 = 5

-- ## At what hours of the day do people buy?
select "s2"."c1" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select extract(hour from ("t1"."at" at time zone make_interval(secs => $1::float8)))::int as "c1",
    count(*) as "c2"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $5::smallint
        and "e"."text_key" = $6::uuid
        and "e"."event_name" = $7::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    )
  group by 1
) as "s2"
order by "s2"."c2" desc nulls last, "s2"."c1" asc nulls last
limit $11;
-- $1 = 32400  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1  $6 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $7 = "purchase"  $8 = 1  $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 1000

-- ## What is the median time from a visitor's first view to their click on Buy?
select "s12"."c2"::float8 as "r1", count(*) over () as "r2"
from (
  select "s11"."c1" as "c1", ("s11"."c2" * round(1::numeric, 35) / "s11"."c3")::float8 as "c2"
  from (
    select "s10"."c1" as "c1", "s10"."c2" as "c2", nullif((100)::numeric, 0) as "c3"
    from (
      select "s9"."c1" as "c1", ("s9"."c1")::text::numeric as "c2"
      from (
        select (((array_agg("s8"."c3" order by "s8"."c3") filter (where "s8"."c3" is not null))[(((count("s8"."c3") - 1) * 50) / 100) + 1]::text::numeric)::numeric * (100 - (((count("s8"."c3") - 1) * 50) % 100)) + ((array_agg("s8"."c3" order by "s8"."c3") filter (where "s8"."c3" is not null))[least((((count("s8"."c3") - 1) * 50) / 100) + 2, count("s8"."c3"))]::text::numeric)::numeric * (((count("s8"."c3") - 1) * 50) % 100)) as "c1"
        from (
          select "s7"."c1" as "c1", "s7"."c2" as "c2", ("s7"."c3" * round(1::numeric, 21) / "s7"."c4")::float8 as "c3"
          from (
            select "s6"."c2" as "c1", "s6"."c3" as "c2", ((extract(epoch from "s6"."c2"))::numeric - (extract(epoch from "s6"."c3"))::numeric) as "c3",
              (1)::numeric as "c4"
            from (
              select "s2"."c2" as "c1", max("s2"."c3") as "c2", max("s5"."c1") as "c3"
              from (
                select "t1"."reader_id" as "c1", "t1"."session_id" as "c2", min("t1"."at") as "c3"
                from "analytics"."conversion_view" as "t1"
                where "t1"."site_id" = $1::smallint
                  and "t1"."at" >= to_timestamp($2::float8)
                  and "t1"."at" < to_timestamp($3::float8)
                  and "t1"."goal_no" = $4::bigint
                group by 1, 2
              ) as "s2"
              inner join (
                select "s4"."c2" as "c1", "s4"."c1" as "c2"
                from (
                  select "t3"."reader_id" as "c1", min("t3"."at") as "c2"
                  from "analytics"."page_view" as "t3"
                  where "t3"."site_id" = $5::smallint
                    and "t3"."at" >= to_timestamp($6::float8)
                    and "t3"."at" < to_timestamp($7::float8)
                  group by 1
                ) as "s4"
              ) as "s5" on "s2"."c1" = "s5"."c2"
              group by 1
            ) as "s6"
          ) as "s7"
        ) as "s8"
      ) as "s9"
    ) as "s10"
  ) as "s11"
) as "s12"
limit $8;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1000

-- ## How many visitors saw page A but not the front page?
select "s4"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from (
    select "t1"."reader_id" as "c1", count(case when "d2"."url" = $1::text then "t1"."pv_id" end) as "c2",
      count(case when "d2"."url" = $2::text then "t1"."pv_id" end) as "c3"
    from "analytics"."page_view" as "t1"
    left join "analytics"."page" as "d2" on "d2"."site_id" = $3::smallint
      and "d2"."page_id" = "t1"."page_id"
    where "t1"."site_id" = $4::smallint
      and "t1"."at" >= to_timestamp($5::float8)
      and "t1"."at" < to_timestamp($6::float8)
    group by 1
  ) as "s3"
  where "s3"."c3" >= $7::bigint
    and "s3"."c2" = $8::bigint
) as "s4"
limit $9;
-- $1 = "/"  $2 = "/a"  $3 = 1  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1  $8 = 0  $9 = 1000
