-- ## all covers every site the user may see; equal times order by id, then site
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

-- ## the same text on several sites is one group
select "s12"."c1" as "r1", "s12"."c2" as "r2", count(*) over () as "r3"
from (
  select "d11"."url" as "c1", coalesce(sum("s10"."c3"), 0) as "c2"
  from (
    select "s9"."c1" as "c1", "s9"."c2" as "c2", coalesce(sum("s9"."c3"), 0) as "c3"
    from (
      (
        select "s1"."c2" as "c1", "s1"."c1" as "c2", "s1"."c3" as "c3"
        from (
          select r.site_id as "c1", unnest("r"."keys") as "c2", unnest("r"."row_count") as "c3"
          from unnest($1::smallint[], $2::smallint[], $3::int[]) b("site_id", "level", "block")
          cross join lateral (
            select *
            from "analytics"."rollup" r
            where r.site_id = b.site_id
              and r.dimension = $4::smallint
              and r.level = b.level
              and r.block = b.block
            limit 1
          ) r
          where (
            select analytics.sites_of_versions($5::smallint[], $6::bigint[])
          ) is not null
        ) as "s1"
        left join "analytics"."page" as "d2" on "d2"."site_id" = "s1"."c1"
          and "d2"."page_id" = "s1"."c2"
        where "d2"."url" = $7::text
      )
      union all (
        select "s4"."c1" as "c1", "s4"."c2" as "c2", "s4"."c3" as "c3"
        from (
          select "t3"."page_id" as "c1", "t3"."site_id" as "c2", count(*) as "c3"
          from "analytics"."page_view" as "t3"
          where "t3"."site_id" = $8::smallint
            and "t3"."at" >= to_timestamp($9::float8)
            and "t3"."at" < to_timestamp($10::float8)
            and (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $11::smallint
                and "e"."text_key" = $12::uuid
                and "e"."url" = $13::text
            ) is not null
            and "t3"."page_id" = (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $14::smallint
                and "e"."text_key" = $15::uuid
                and "e"."url" = $16::text
            )
          group by 1, 2
        ) as "s4"
      )
      union all (
        select "s6"."c1" as "c1", "s6"."c2" as "c2", "s6"."c3" as "c3"
        from (
          select "t5"."page_id" as "c1", "t5"."site_id" as "c2", count(*)::int as "c3"
          from "analytics"."page_view" as "t5"
          where "t5"."site_id" = $17::smallint
            and "t5"."at" >= to_timestamp($18::float8)
            and "t5"."at" < to_timestamp($19::float8)
            and (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $20::smallint
                and "e"."text_key" = $21::uuid
                and "e"."url" = $22::text
            ) is not null
            and "t5"."page_id" = (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $23::smallint
                and "e"."text_key" = $24::uuid
                and "e"."url" = $25::text
            )
          group by 1, 2
        ) as "s6"
      )
      union all (
        select "s8"."c1" as "c1", "s8"."c2" as "c2", "s8"."c3" as "c3"
        from (
          select "t7"."page_id" as "c1", "t7"."site_id" as "c2", count(*)::int as "c3"
          from "analytics"."page_view" as "t7"
          where "t7"."site_id" = $26::smallint
            and "t7"."at" >= to_timestamp($27::float8)
            and "t7"."at" < to_timestamp($28::float8)
            and (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $29::smallint
                and "e"."text_key" = $30::uuid
                and "e"."url" = $31::text
            ) is not null
            and "t7"."page_id" = (
              select "e"."page_id"
              from "analytics"."page" as "e"
              where "e"."site_id" = $32::smallint
                and "e"."text_key" = $33::uuid
                and "e"."url" = $34::text
            )
          group by 1, 2
        ) as "s8"
      )
    ) as "s9"
    group by 1, 2
  ) as "s10"
  left join "analytics"."page" as "d11" on "d11"."site_id" = "s10"."c2"
    and "d11"."page_id" = "s10"."c1"
  group by 1
) as "s12"
order by "s12"."c1" collate "C" asc nulls last
limit $35;
-- $1 = [1,1,1,1,1,1,1,2,2,2,2,2,2]  $2 = [2,2,2,1,1,1,0,0,0,2,1,1,1]
-- $3 = [1284,1285,1286,5148,5149,5150,20604,20574,20575,1286,5148,5149,5150]  $4 = 2  $5 = [1,2]  $6 = [9,4]
-- $7 = "/"  $8 = 3  $9 = 1777561200  $10 = 1780239600  $11 = 3  $12 = "8068ee95affd9273f0622bdbb25546b6"
-- $13 = "/"  $14 = 3  $15 = "8068ee95affd9273f0622bdbb25546b6"  $16 = "/"  $17 = 2  $18 = 1777561200
-- $19 = 1777586400  $20 = 2  $21 = "8068ee95affd9273f0622bdbb25546b6"  $22 = "/"  $23 = 2
-- $24 = "8068ee95affd9273f0622bdbb25546b6"  $25 = "/"  $26 = 2  $27 = 1780178400  $28 = 1780239600  $29 = 2
-- $30 = "8068ee95affd9273f0622bdbb25546b6"  $31 = "/"  $32 = 2  $33 = "8068ee95affd9273f0622bdbb25546b6"
-- $34 = "/"  $35 = 1000

-- ## the same id on several sites is several groups
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

-- ## COUNTUNIQUE counts the same id on several sites several times
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

-- ## texts behind ids of different sites are merged by text
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
  select "s1"."c1" as "c1", coalesce(sum("s1"."c2"), 0) as "c2"
  from (
    select r.site_id as "c1", unnest("r"."row_count") as "c2"
    from unnest($1::smallint[], $2::smallint[], $3::int[]) b("site_id", "level", "block")
    cross join lateral (
      select *
      from "analytics"."rollup" r
      where r.site_id = b.site_id
        and r.dimension = $4::smallint
        and r.level = b.level
        and r.block = b.block
      limit 1
    ) r
    where (
      select analytics.sites_of_versions($5::smallint[], $6::bigint[])
    ) is not null
  ) as "s1"
  group by 1
) as "s2"
left join "analytics"."site" as "d3" on "d3"."site_id" = "s2"."c1"
order by "d3"."tracking_id" collate "C" asc nulls last
limit $7;
-- $1 = [1,1,1,1,1,1,1]  $2 = [2,2,2,1,1,1,0]  $3 = [1284,1285,1286,5148,5149,5150,20604]  $4 = 1  $5 = [1]
-- $6 = [9]  $7 = 1000

-- ## grouped by site
select "d10"."tracking_id" as "r1", "s9"."c2" as "r2", count(*) over () as "r3"
from (
  select "s8"."c1" as "c1", coalesce(sum("s8"."c2"), 0) as "c2"
  from (
    (
      select "s1"."c1" as "c1", "s1"."c2" as "c2"
      from (
        select r.site_id as "c1", unnest("r"."row_count") as "c2"
        from unnest($1::smallint[], $2::smallint[], $3::int[]) b("site_id", "level", "block")
        cross join lateral (
          select *
          from "analytics"."rollup" r
          where r.site_id = b.site_id
            and r.dimension = $4::smallint
            and r.level = b.level
            and r.block = b.block
          limit 1
        ) r
        where (
          select analytics.sites_of_versions($5::smallint[], $6::bigint[])
        ) is not null
      ) as "s1"
    )
    union all (
      select "s3"."c1" as "c1", "s3"."c2" as "c2"
      from (
        select "t2"."site_id" as "c1", count(*) as "c2"
        from "analytics"."page_view" as "t2"
        where "t2"."site_id" = $7::smallint
          and "t2"."at" >= to_timestamp($8::float8)
          and "t2"."at" < to_timestamp($9::float8)
        group by 1
      ) as "s3"
    )
    union all (
      select "s5"."c1" as "c1", "s5"."c2" as "c2"
      from (
        select "t4"."site_id" as "c1", count(*)::int as "c2"
        from "analytics"."page_view" as "t4"
        where "t4"."site_id" = $10::smallint
          and "t4"."at" >= to_timestamp($11::float8)
          and "t4"."at" < to_timestamp($12::float8)
        group by 1
      ) as "s5"
    )
    union all (
      select "s7"."c1" as "c1", "s7"."c2" as "c2"
      from (
        select "t6"."site_id" as "c1", count(*)::int as "c2"
        from "analytics"."page_view" as "t6"
        where "t6"."site_id" = $13::smallint
          and "t6"."at" >= to_timestamp($14::float8)
          and "t6"."at" < to_timestamp($15::float8)
        group by 1
      ) as "s7"
    )
  ) as "s8"
  group by 1
) as "s9"
left join "analytics"."site" as "d10" on "d10"."site_id" = "s9"."c1"
order by "s9"."c2" desc nulls last, "d10"."tracking_id" collate "C" asc nulls last
limit $16;
-- $1 = [1,1,1,1,1,1,1,2,2,2,2,2,2]  $2 = [2,2,2,1,1,1,0,0,0,2,1,1,1]
-- $3 = [1284,1285,1286,5148,5149,5150,20604,20574,20575,1286,5148,5149,5150]  $4 = 1  $5 = [1,2]  $6 = [9,4]
-- $7 = 3  $8 = 1777561200  $9 = 1780239600  $10 = 2  $11 = 1777561200  $12 = 1777586400  $13 = 2
-- $14 = 1780178400  $15 = 1780239600  $16 = 1000

-- ## ids of the previous and next page belong to their site too
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

-- ## different readers by a small key, each on its own site
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
