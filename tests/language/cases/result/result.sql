-- ## limit truncates the rows
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3

-- ## rows that just fit are not truncated
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 7

-- ## the total number of groups is returned with the rows
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
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."page_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 2

-- ## top limits the total
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
      group by 1
    ) as "s2"
    order by "s2"."c2" desc nulls last
  ) fetch first ($4::bigint) rows with ties
) as "s3"
left join "analytics"."page" as "d4" on "d4"."site_id" = $5::smallint
  and "d4"."page_id" = "s3"."c3"
order by "s3"."c1" desc nulls last, "d4"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 1  $6 = 2

-- ## an answer without rows
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 99  $5 = 1001

-- ## an answer without groups
select "d3"."url" as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select "t1"."page_id" as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."pv_id" = $4::bigint
  group by 1
) as "s2"
left join "analytics"."page" as "d3" on "d3"."site_id" = $5::smallint
  and "d3"."page_id" = "s2"."c1"
order by "d3"."url" collate "C" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 99  $5 = 1  $6 = 1000

-- ## count_only counts rows
select "s2"."c1"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600

-- ## count_only counts groups
select "s3"."c1"
from (
  select count(*) as "c1"
  from (
    select "t1"."page_id" as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
    group by 1
  ) as "s2"
) as "s3";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600

-- ## count_only applies top and ignores limit, even an invalid one
select "s4"."c1"
from (
  select count(*) as "c1"
  from (
    select 1
    from (
      select "t1"."page_id" as "c1"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $1::smallint
        and "t1"."at" >= to_timestamp($2::float8)
        and "t1"."at" < to_timestamp($3::float8)
      group by 1
    ) as "s2"
    limit $4
  ) as "s3"
) as "s4";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3

-- ## count_only of a single total is 1
select "s3"."c1"
from (
  select count(*) as "c1"
  from (
    select count(*) as "c1"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $1::smallint
      and "t1"."at" >= to_timestamp($2::float8)
      and "t1"."at" < to_timestamp($3::float8)
  ) as "s2"
) as "s3";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600
