-- ## the parts of a click
select to_char(("t1"."at" at time zone make_interval(secs => $1::float8))::date, 'YYYY-MM-DD') as "r1",
  extract(hour from ("t1"."at" at time zone make_interval(secs => $2::float8)))::int as "r2",
  extract(isodow from ("t1"."at" at time zone make_interval(secs => $3::float8)))::int as "r3",
  to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') as "r4"
from "analytics"."click" as "t1"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and "t1"."pv_id" = $8::bigint
order by "t1"."at" asc nulls last, "t1"."click_id" asc nulls last
limit $9;
-- $1 = 0  $2 = 0  $3 = 0  $4 = 0  $5 = 1  $6 = 1777561200  $7 = 1777593600  $8 = 1  $9 = 1001

-- ## the parts of a data layer push
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", "s2"."c2" as "r2", "s2"."c3" as "r3", "s2"."c4" as "r4"
from (
  select ("t1"."at" at time zone make_interval(secs => $1::float8))::date as "c1", extract(hour from ("t1"."at" at time zone make_interval(secs => $2::float8)))::int as "c2",
    extract(isodow from ("t1"."at" at time zone make_interval(secs => $3::float8)))::int as "c3",
    to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') as "c4",
    "t1"."at" as "c5", "t1"."event_id" as "c6"
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
-- $1 = 0  $2 = 0  $3 = 0  $4 = 0  $5 = 1  $6 = 1777561200  $7 = 1777593600  $8 = 1
-- $9 = "ac002792adf7714f924ebafb515224ec"  $10 = "page:view"  $11 = 1  $12 = "ac002792adf7714f924ebafb515224ec"
-- $13 = "page:view"  $14 = 1001

-- ## the parts of an event
select "s2"."c1" as "r1", to_char(("s2"."c2" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2",
  to_char("s2"."c3", 'YYYY-MM-DD') as "r3", "s2"."c4" as "r4", "s2"."c5" as "r5", "s2"."c6" as "r6"
from (
  select "t1"."session_id" as "c1", "t1"."at" as "c2", ("t1"."at" at time zone make_interval(secs => $2::float8))::date as "c3",
    extract(hour from ("t1"."at" at time zone make_interval(secs => $3::float8)))::int as "c4",
    extract(isodow from ("t1"."at" at time zone make_interval(secs => $4::float8)))::int as "c5",
    to_char(("t1"."at" at time zone make_interval(secs => $5::float8)), 'YYYY-MM') as "c6",
    "t1"."event_id" as "c7"
  from "analytics"."event" as "t1"
  where "t1"."site_id" = $6::smallint
    and "t1"."at" >= to_timestamp($7::float8)
    and "t1"."at" < to_timestamp($8::float8)
    and (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $9::smallint
        and "e"."text_key" = $10::uuid
        and "e"."event_name" = $11::text
    ) is not null
    and "t1"."event_name_id" = (
      select "e"."event_name_id"
      from "analytics"."event_name" as "e"
      where "e"."site_id" = $12::smallint
        and "e"."text_key" = $13::uuid
        and "e"."event_name" = $14::text
    )
  order by "t1"."at" asc nulls last, "t1"."event_id" asc nulls last
  limit $15
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c7" asc nulls last;
-- $1 = 0  $2 = 0  $3 = 0  $4 = 0  $5 = 0  $6 = 1  $7 = 1777561200  $8 = 1777593600  $9 = 1
-- $10 = "d02050ca9da2608e65bc84ed6a8a1f19"  $11 = "purchase"  $12 = 1  $13 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $14 = "purchase"  $15 = 1001

-- ## the parts of a conversion
select "t1"."pv_id" as "r1", to_char(("t1"."at" at time zone make_interval(secs => $1::float8))::date, 'YYYY-MM-DD') as "r2",
  extract(hour from ("t1"."at" at time zone make_interval(secs => $2::float8)))::int as "r3",
  extract(isodow from ("t1"."at" at time zone make_interval(secs => $3::float8)))::int as "r4",
  to_char(("t1"."at" at time zone make_interval(secs => $4::float8)), 'YYYY-MM') as "r5"
from "analytics"."conversion_view" as "t1"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
  and "t1"."goal_no" = $8::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $9;
-- $1 = 0  $2 = 0  $3 = 0  $4 = 0  $5 = 1  $6 = 1777561200  $7 = 1777593600  $8 = 1  $9 = 1001

-- ## a conversion has the time of its view
select "s2"."c1" as "r1", "s2"."c2" as "r2"
from (
  select "t1"."pv_id" as "c1", (row_number() over (order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last) - 1)::int as "c2",
    "t1"."at" as "c3"
  from "analytics"."conversion_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and "t1"."goal_no" = $4::bigint
) as "s2"
order by "s2"."c3" asc nulls last, "s2"."c1" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561231  $3 = 1777647600  $4 = 1  $5 = 1001

-- ## a range with many clock changes
select to_char(("t1"."at" at time zone make_interval(secs => ($1::float8[])[width_bucket(date_part('epoch', "t1"."at"), $2::float8[]) + 1])), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  extract(hour from ("t1"."at" at time zone make_interval(secs => ($3::float8[])[width_bucket(date_part('epoch', "t1"."at"), $4::float8[]) + 1])))::int as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $5::smallint
  and "t1"."at" >= to_timestamp($6::float8)
  and "t1"."at" < to_timestamp($7::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $8;
-- $1 = [3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600]
-- $2 = [323830800,338950800,354675600,370400400,386125200,401850000,417574800,433299600,449024400,465354000,481078800,496803600,512528400,528253200,543978000,559702800,575427600,591152400,606877200,622602000,638326800,654656400,670381200,686106000,701830800,717555600,733280400,749005200,764730000,780454800,796179600,811904400,828234000,846378000,859683600,877827600,891133200,909277200,922582800,941331600,954032400,972781200,985482000,1004230800,1017536400,1035680400,1048986000,1067130000,1080435600,1099184400,1111885200,1130634000,1143334800,1162083600,1174784400,1193533200,1206838800,1224982800,1238288400,1256432400,1269738000,1288486800,1301187600,1319936400,1332637200,1351386000,1364691600,1382835600,1396141200,1414285200,1427590800,1445734800,1459040400,1477789200,1490490000,1509238800,1521939600,1540688400,1553994000,1572138000,1585443600,1603587600,1616893200,1635642000,1648342800,1667091600,1679792400,1698541200,1711846800,1729990800,1743296400,1761440400,1774746000,1792890000,1806195600,1824944400,1837645200,1856394000,1869094800,1887843600,1901149200,1919293200,1932598800,1950742800,1964048400,1982797200,1995498000,2014246800,2026947600,2045696400,2058397200,2077146000]
-- $3 = [3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600,7200,3600]
-- $4 = [323830800,338950800,354675600,370400400,386125200,401850000,417574800,433299600,449024400,465354000,481078800,496803600,512528400,528253200,543978000,559702800,575427600,591152400,606877200,622602000,638326800,654656400,670381200,686106000,701830800,717555600,733280400,749005200,764730000,780454800,796179600,811904400,828234000,846378000,859683600,877827600,891133200,909277200,922582800,941331600,954032400,972781200,985482000,1004230800,1017536400,1035680400,1048986000,1067130000,1080435600,1099184400,1111885200,1130634000,1143334800,1162083600,1174784400,1193533200,1206838800,1224982800,1238288400,1256432400,1269738000,1288486800,1301187600,1319936400,1332637200,1351386000,1364691600,1382835600,1396141200,1414285200,1427590800,1445734800,1459040400,1477789200,1490490000,1509238800,1521939600,1540688400,1553994000,1572138000,1585443600,1603587600,1616893200,1635642000,1648342800,1667091600,1679792400,1698541200,1711846800,1729990800,1743296400,1761440400,1774746000,1792890000,1806195600,1824944400,1837645200,1856394000,1869094800,1887843600,1901149200,1919293200,1932598800,1950742800,1964048400,1982797200,1995498000,2014246800,2026947600,2045696400,2058397200,2077146000]
-- $5 = 2  $6 = -3600  $7 = 4102441200  $8 = 1001

-- ## a week is the date of its Monday in the zone
select to_char(("t1"."at" at time zone make_interval(secs => $1::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r1",
  to_char(date_trunc('week', ("t1"."at" at time zone make_interval(secs => $2::float8))::timestamp)::date, 'YYYY-MM-DD') as "r2"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $3::smallint
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
  and "t1"."pv_id" = any($6::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $7;
-- $1 = 32400  $2 = 32400  $3 = 1  $4 = 1777561200  $5 = 1780239600  $6 = [3,6]  $7 = 1001

-- ## the week of clicks, pushes and events
select to_char(date_trunc('week', ("t1"."at" at time zone make_interval(secs => $1::float8))::timestamp)::date, 'YYYY-MM-DD') as "r1",
  to_char(("s3"."c1" at time zone make_interval(secs => $2::float8)), 'YYYY-MM-DD"T"HH24:MI:SS') as "r2"
from "analytics"."event" as "t1"
left join (
  select "t2"."at" as "c1", "t2"."click_id" as "c2", "t2"."session_id" as "c3"
  from "analytics"."click" as "t2"
  where "t2"."site_id" = $3::smallint
    and "t2"."at" >= to_timestamp($4::float8)
    and "t2"."at" < to_timestamp($5::float8)
) as "s3" on "t1"."session_id" = "s3"."c3"
where "t1"."site_id" = $6::smallint
  and "t1"."at" >= to_timestamp($7::float8)
  and "t1"."at" < to_timestamp($8::float8)
  and (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $9::smallint
      and "e"."text_key" = $10::uuid
      and "e"."event_name" = $11::text
  ) is not null
  and "t1"."event_name_id" = (
    select "e"."event_name_id"
    from "analytics"."event_name" as "e"
    where "e"."site_id" = $12::smallint
      and "e"."text_key" = $13::uuid
      and "e"."event_name" = $14::text
  )
  and date_trunc('week', ("t1"."at" at time zone make_interval(secs => $15::float8))::timestamp)::date = $16::date
order by "s3"."c1" asc nulls last, "t1"."at" asc nulls last, "t1"."event_id" asc nulls last,
  "s3"."c2" asc nulls last
limit $17;
-- $1 = 0  $2 = 0  $3 = 1  $4 = 1777561200  $5 = 1777593600  $6 = 1  $7 = 1777561200  $8 = 1777593600  $9 = 1
-- $10 = "d02050ca9da2608e65bc84ed6a8a1f19"  $11 = "purchase"  $12 = 1  $13 = "d02050ca9da2608e65bc84ed6a8a1f19"
-- $14 = "purchase"  $15 = 0  $16 = "2026-04-27"  $17 = 1

-- ## visitors in each week
select to_char("s4"."c1", 'YYYY-MM-DD') as "r1", "s4"."c3" as "r2", "s4"."c2" as "r3", count(*) over () as "r4"
from (
  select "period"."value" as "c1", coalesce(sum("s3"."c1"), 0) as "c2", count("s3"."c2") as "c3"
  from unnest($1::date[], $2::float8[], $3::float8[]) as "period"(value, first, last)
  cross join lateral (
    select "s2"."c2" as "c1", "s2"."c1" as "c2"
    from (
      select "t1"."reader_id" as "c1", count(*) as "c2"
      from "analytics"."page_view" as "t1"
      where "t1"."site_id" = $4::smallint
        and "t1"."at" >= to_timestamp("period"."first")
        and "t1"."at" < to_timestamp("period"."last")
      group by 1
    ) as "s2"
  ) as "s3"
  group by 1
) as "s4"
order by "s4"."c1" asc nulls last
limit $5;
-- $1 = ["2026-04-27","2026-05-04","2026-05-11","2026-05-18","2026-05-25"]
-- $2 = [1777561200,1777820400,1778425200,1779030000,1779634800]
-- $3 = [1777820400,1778425200,1779030000,1779634800,1780239600]  $4 = 1  $5 = 1000

-- ## the week of a day with searches
select to_char("s2"."c1", 'YYYY-MM-DD') as "r1", to_char("s2"."c2", 'YYYY-MM-DD') as "r2", to_char("s2"."c3", 'YYYY-MM-DD') as "r3",
  "s2"."c4" as "r4", count(*) over () as "r5"
from (
  select date_trunc('week', "t1"."day"::timestamp)::date as "c1", min("t1"."day") as "c2", max("t1"."day") as "c3",
    coalesce(sum("t1"."clicks"), 0) as "c4"
  from "analytics"."search_day" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."day" >= $2::date
    and "t1"."day" < $3::date
  group by 1
) as "s2"
order by "s2"."c1" asc nulls last
limit $4;
-- $1 = 1  $2 = "2026-05-01"  $3 = "2026-06-01"  $4 = 1000
