-- ## start is included, and end is not
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 1  $2 = 1777561200  $3 = 1780239599  $4 = 1001

-- ## the same range in another zone
select "t1"."pv_id" as "r1", to_char(("t1"."at" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "t1"."pv_id" = any($5::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 0  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = [1,6]  $6 = 1001

-- ## days are in the query's zone
select to_char("period"."value", 'YYYY-MM-DD') as "r1", "s3"."c1" as "r2", count(*) over () as "r3"
from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
cross join lateral (
  select "s2"."c1" as "c1", "s2"."c2" as "c2"
  from (
    select count(*) as "c1", count(*) as "c2"
    from "analytics"."page_view" as "t1"
    where "t1"."site_id" = $4::smallint
      and "t1"."at" >= to_timestamp("period"."first")
      and "t1"."at" < to_timestamp("period"."last")
  ) as "s2"
) as "s3"
where "s3"."c2" > $5::bigint
order by "period"."value" asc nulls last
limit $6;
-- $1 = ["2026-04-30","2026-05-01","2026-05-02","2026-05-03","2026-05-04","2026-05-05","2026-05-06","2026-05-07","2026-05-08","2026-05-09","2026-05-10","2026-05-11","2026-05-12","2026-05-13","2026-05-14","2026-05-15","2026-05-16","2026-05-17","2026-05-18","2026-05-19","2026-05-20","2026-05-21","2026-05-22","2026-05-23","2026-05-24","2026-05-25","2026-05-26","2026-05-27","2026-05-28","2026-05-29","2026-05-30","2026-05-31"]
-- $2 = [1777521600,1777608000,1777694400,1777780800,1777867200,1777953600,1778040000,1778126400,1778212800,1778299200,1778385600,1778472000,1778558400,1778644800,1778731200,1778817600,1778904000,1778990400,1779076800,1779163200,1779249600,1779336000,1779422400,1779508800,1779595200,1779681600,1779768000,1779854400,1779940800,1780027200,1780113600,1780200000]
-- $3 = [1777608000,1777694400,1777780800,1777867200,1777953600,1778040000,1778126400,1778212800,1778299200,1778385600,1778472000,1778558400,1778644800,1778731200,1778817600,1778904000,1778990400,1779076800,1779163200,1779249600,1779336000,1779422400,1779508800,1779595200,1779681600,1779768000,1779854400,1779940800,1780027200,1780113600,1780200000,1780286400]
-- $4 = 1  $5 = 0  $6 = 1000

-- ## parts of the time
select to_char(("t1"."at" at time zone make_interval(secs => $1::float8))::date, 'YYYY-MM-DD') as "r1",
  extract(hour from ("t1"."at" at time zone make_interval(secs => $2::float8)))::int as "r2",
  extract(isodow from ("t1"."at" at time zone make_interval(secs => $3::float8)))::int as "r3",
  to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') as "r4"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and "t1"."pv_id" = any($8::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 32400  $2 = 32400  $3 = 32400  $4 = 32400  $5 = 1  $6 = 1777561200  $7 = 1780239600  $8 = [3,6]
-- $9 = 1001

-- ## a repeated hour begins at its first occurrence
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $4;
-- $1 = 2  $2 = 1792886400  $3 = 1792888200  $4 = 1001

-- ## both occurrences of a repeated hour are in the day
select "t1"."pv_id" as "r1", to_char(("t1"."at" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "t1"."at"), $2::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = [7200,3600]  $2 = [1792890000]  $3 = 2  $4 = 1792879200  $5 = 1792969200  $6 = 1001

-- ## a local time in a repeated hour means the first occurrence
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" = to_timestamp($4::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 2  $2 = 1792879200  $3 = 1792969200  $4 = 1792888200  $5 = 1001

-- ## year 0 is valid and has no data
select "s2"."c1" as "r1", count(*) over () as "r2"
from (
  select count(*) as "c1"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
) as "s2"
limit $4;
-- $1 = 1  $2 = -62167219200  $3 = 253402300799  $4 = 1000

-- ## a day before year 1 is not sent to the database
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select ("t1"."at" at time zone make_interval(secs => $1::float8))::date as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $5;
-- $1 = 32400  $2 = 1  $3 = -62135630339  $4 = -62135457539  $5 = 1000

-- ## a day before year 1 west of Greenwich is not sent to the database, either
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "s2"."c2" as "r2", count(*) over () as "r3"
from (
  select ("t1"."at" at time zone make_interval(secs => $1::float8))::date as "c1", count(*) as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $2::smallint
    and "t1"."at" >= to_timestamp($3::float8)
    and "t1"."at" < to_timestamp($4::float8)
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $5;
-- $1 = -18000  $2 = 1  $3 = -62135579038  $4 = -62135406238  $5 = 1000
