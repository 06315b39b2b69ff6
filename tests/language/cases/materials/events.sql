-- ## every data layer push, with its parameters as JSON
select "d3"."event_name" as "r1", "s2"."c1" as "r2", "s2"."c2" as "r3"
from (
  select "t1"."pv_id" as "c1", "t1"."params"::text as "c2", "t1"."at" as "c3", "t1"."event_id" as "c4",
    "t1"."event_name_id" as "c5"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last
  limit $4
) as "s2"
left join "analytics"."event_name" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."event_name_id" = "s2"."c5"
order by "s2"."c3" asc nulls last, "s2"."c4" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1001  $5 = 1

-- ## pushes by name
select "d4"."event_name" as "r1", "s3"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."event_name_id" as "c1", count(*) as "c2"
  from "analytics"."event" as "t1"
  left join "analytics"."event_name" as "d2" on "d2"."site_id" = $1::smallint
    and "d2"."event_name_id" = "t1"."event_name_id"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and starts_with("d2"."event_name", $5::text)
  group by 1
) as "s3"
left join "analytics"."event_name" as "d4" on "d4"."site_id" = $6::smallint
  and "d4"."event_name_id" = "s3"."c1"
order by "d4"."event_name" collate "C" asc nulls last
limit $7;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "p"  $6 = 1  $7 = 1000

-- ## an event with its parameters
select "s2"."c1" as "r1", "s2"."c2"::float8 as "r2", "s2"."c3" as "r3", "s2"."c4" as "r4"
from (
  select "t1"."pv_id" as "c1", case when jsonb_typeof("t1"."params" -> $1::text) = 'number' then ("t1"."params" ->> $2::text)::float8 end as "c2",
    ("t1"."params" ->> $3::text) as "c3", ("t1"."params" ->> $4::text) as "c4", "t1"."at" as "c5",
    "t1"."event_id" as "c6"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $5::smallint
    and "t1"."at" >= to_timestamp($6::float8)
    and "t1"."at" < to_timestamp($7::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $8::smallint
        and "e"."text_key" = $9::uuid
        and "e"."event_name" = $10::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $11::smallint
        and "e"."text_key" = $12::uuid
        and "e"."event_name" = $13::text
    )
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last
  limit $14
) as "s2"
order by "s2"."c5" asc nulls last, "s2"."c6" asc nulls last;
-- $1 = "value"  $2 = "value"  $3 = "currency"  $4 = "note"  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1
-- $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 1  $12 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $13 = "purchase"  $14 = 1001

-- ## a sum of decimals is exact
select "s6"."c1"::float8 as "r1", "s6"."c4"::float8 as "r2", "s6"."c2" as "r3", count(*) over () as "r4"
from (
  select "s5"."c1" as "c1", "s5"."c2" as "c2", "s5"."c3" as "c3", ("s5"."c4" * round(1::numeric, 50) / "s5"."c5")::float8 as "c4"
  from (
    select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3", "s4"."c4" as "c4", nullif(("s4"."c3")::numeric, 0) as "c5"
    from (
      select "s3"."c1" as "c1", "s3"."c3" as "c2", "s3"."c2" as "c3", ("s3"."c1")::text::numeric as "c4"
      from (
        select coalesce(sum("s2"."c2"::text::numeric), 0) as "c1", coalesce(sum("s2"."c3"), 0) as "c2",
          count("s2"."c1") as "c3"
        from (
          select ("t1"."params" ->> $1::text) as "c1", coalesce(sum(case when jsonb_typeof("t1"."params" -> $2::text) = 'number' then ("t1"."params" ->> $3::text)::float8 end::text::numeric), 0) as "c2", count(case when jsonb_typeof("t1"."params" -> $4::text) = 'number' then ("t1"."params" ->> $5::text)::float8 end) as "c3" from "analytics"."event" as "t1" where "t1"."site_id" = $6::smallint and "t1"."at" >= to_timestamp($7::float8) and "t1"."at" < to_timestamp($8::float8) and (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $9::smallint
              and "e"."text_key" = $10::uuid
              and "e"."event_name" = $11::text
          ) is not null and "t1"."event_name_id" = (
            select "e"."event_name_id"
            from "analytics"."event_name" as "e"
            where "e"."site_id" = $12::smallint
              and "e"."text_key" = $13::uuid
              and "e"."event_name" = $14::text
          ) and case when jsonb_typeof("t1"."params" -> $15::text) = 'number' then ("t1"."params" ->> $16::text)::float8 end > $17::bigint group by 1) as "s2"
        ) as "s3"
      ) as "s4"
    ) as "s5"
  ) as "s6"
  limit $18;
-- $1 = "currency"  $2 = "value"  $3 = "value"  $4 = "value"  $5 = "value"  $6 = 1  $7 = 1777561200
-- $8 = 1780239600  $9 = 1  $10 = "d02050ca9da2608e65bc84ed6a8a1f19"  $11 = "purchase"  $12 = 1
-- $13 = "d02050ca9da2608e65bc84ed6a8a1f19"  $14 = "purchase"  $15 = "value"  $16 = "value"  $17 = 0  $18 = 1000

-- ## values other than numbers and strings are returned as JSON
select "s2"."c1" as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3"
from (
  select ("t1"."params" ->> $1::text) as "c1", ("t1"."params" ->> $2::text) as "c2", ("t1"."params" ->> $3::text) as "c3",
    "t1"."at" as "c4", "t1"."event_id" as "c5"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $4::smallint
    and "t1"."at" >= to_timestamp($5::float8)
    and "t1"."at" < to_timestamp($6::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."event_name" = $9::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $10::smallint
        and "e"."text_key" = $11::uuid
        and "e"."event_name" = $12::text
    )
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last
  limit $13
) as "s2"
order by "s2"."c4" asc nulls last, "s2"."c5" asc nulls last;
-- $1 = "title"  $2 = "ok"  $3 = "list"  $4 = 1  $5 = 1777561200  $6 = 1780239600  $7 = 1
-- $8 = "ce872c85891447f7f3b203325f8f2809"  $9 = "video_play"  $10 = 1  $11 = "ce872c85891447f7f3b203325f8f2809"
-- $12 = "video_play"  $13 = 1001

-- ## with all sites, a parameter that is text on one site is text
select "d3"."tracking_id" as "r1", "s2"."c1" as "r2"
from (
  select ("t1"."params" ->> $1::text) as "c1", "t1"."at" as "c2", "t1"."event_id" as "c3", "t1"."site_id" as "c4"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = any($2::smallint[])
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
    and ("t1"."site_id", "t1"."event_name_id") in (
      select "e"."site_id", "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = any($5::smallint[])
        and "e"."text_key" = $6::uuid
        and "e"."event_name" = $7::text
    )
    and ("t1"."params" ->> $8::text) = $9::text
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last, "t1"."site_id" asc nulls last
  limit $10
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c4"
order by "s2"."c2" asc nulls last, "s2"."c3" asc nulls last, "s2"."c4" asc nulls last;
-- $1 = "value"  $2 = [1,2,3]  $3 = 1777561200  $4 = 1780239600  $5 = [1,2,3]
-- $6 = "d02050ca9da2608e65bc84ed6a8a1f19"  $7 = "purchase"  $8 = "currency"  $9 = "EUR"  $10 = 1001

-- ## revenue from page views, by device
select "d5"."device_type" as "r1", "s4"."c2"::float8 as "r2", "s4"."c3" as "r3", count(*) over () as "r4"
from (
  select "t1"."device_id" as "c1", coalesce(sum("s3"."c1"::text::numeric), 0) as "c2", count("s3"."c2") as "c3"
  from "analytics"."page_view" as "t1"
  left join (
    select case when jsonb_typeof("t2"."params" -> $1::text) = 'number' then ("t2"."params" ->> $2::text)::float8 end as "c1",
      "t2"."pv_id" as "c2"
    from "analytics"."event" as "t2"
    where "t2"."site_id" = $3::smallint
      and "t2"."at" >= to_timestamp($4::float8)
      and "t2"."at" < to_timestamp($5::float8)
      and (
        select "e"."event_name_id"
        from "analytics"."event_name" as "e"
        where "e"."site_id" = $6::smallint
          and "e"."text_key" = $7::uuid
          and "e"."event_name" = $8::text
      ) is not null
      and "t2"."event_name_id" = (
        select "e"."event_name_id"
        from "analytics"."event_name" as "e"
        where "e"."site_id" = $9::smallint
          and "e"."text_key" = $10::uuid
          and "e"."event_name" = $11::text
      )
  ) as "s3" on "t1"."pv_id" = "s3"."c2"
  where "t1"."site_id" = $12::smallint
    and "t1"."at" >= to_timestamp($13::float8)
    and "t1"."at" < to_timestamp($14::float8)
  group by 1
) as "s4"
left join "analytics"."device" as "d5" on "d5"."device_id" = "s4"."c1"
order by "d5"."device_type" collate "C" asc nulls last
limit $15;
-- $1 = "value"  $2 = "value"  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1
-- $7 = "d02050ca9da2608e65bc84ed6a8a1f19"  $8 = "purchase"  $9 = 1  $10 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $11 = "purchase"  $12 = 1  $13 = 1777561200  $14 = 1780239600  $15 = 1000

-- ## a chained view keeps the event name as its prefix
select case when jsonb_typeof("t1"."params" -> $1::text) = 'number' then ("t1"."params" ->> $2::text)::float8 end::float8 as "r1" from "analytics"."event" as "t1" where "t1"."site_id" = $3::smallint and "t1"."at" >= to_timestamp($4::float8) and "t1"."at" < to_timestamp($5::float8) and (
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
) and ("t1"."params" ->> $12::text) = $13::text order by case when jsonb_typeof("t1"."params" -> $14::text) = 'number' then ("t1"."params" ->> $15::text)::float8 end asc nulls last, "t1"."at" asc nulls last, "t1"."event_id" asc nulls last limit $16;
-- $1 = "value"  $2 = "value"  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = 1
-- $7 = "d02050ca9da2608e65bc84ed6a8a1f19"  $8 = "purchase"  $9 = 1  $10 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $11 = "purchase"  $12 = "currency"  $13 = "EUR"  $14 = "value"  $15 = "value"  $16 = 1001

-- ## a sum of decimals may exceed the limit of whole numbers
select "s4"."c1"::float8 as "r1", "s4"."c2"::float8 as "r2", count(*) over () as "r3"
from (
  select coalesce(sum(case when "s3"."c2" is null then $1::float8 else "s3"."c1" end::text::numeric), 0) as "c1", min(case when "s3"."c2" is null then $2::float8 else "s3"."c1" end) as "c2" from "analytics"."page_view" as "t1" left join (
    select case when jsonb_typeof("t2"."params" -> $3::text) = 'number' then ("t2"."params" ->> $4::text)::float8 end as "c1",
      "t2"."pv_id" as "c2"
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
  ) as "s3" on "t1"."pv_id" = "s3"."c2" where "t1"."site_id" = $14::smallint and "t1"."at" >= to_timestamp($15::float8) and "t1"."at" < to_timestamp($16::float8)) as "s4"
  limit $17;
-- $1 = 1e+300  $2 = 1e+300  $3 = "value"  $4 = "value"  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = 1
-- $9 = "d02050ca9da2608e65bc84ed6a8a1f19"  $10 = "purchase"  $11 = 1  $12 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $13 = "purchase"  $14 = 1  $15 = 1777561200  $16 = 1780239600  $17 = 1000
