-- ## a page after the first rows
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 2  $5 = 4

-- ## the last page includes the total
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 4

-- ## a page past the end has no rows
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 6

-- ## pages of groups
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
limit $6 offset $7;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 3  $5 = 1  $6 = 2  $7 = 1

-- ## a page ends at the last row of top
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 2

-- ## a page past the last row of top
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."pv_id" desc nulls last, "t1"."at" asc nulls last
limit $4 offset $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 5

-- ## count_only counts all rows
select "s2"."c1"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2";
-- $1 = 1  $2 = 1777561200  $3 = 1780239600
