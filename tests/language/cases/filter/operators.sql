-- ## a scalar means eq
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
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
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $6
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "SP"  $5 = "SP"  $6 = 1001

-- ## a list means in
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = any($4::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [6,1,99]  $5 = 1001

-- ## an empty list matches nothing
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" = any($4::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = []  $5 = 1001

-- ## several columns are ANDed
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
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
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $6::smallint
        and "e"."text_key" = $7::uuid
        and "e"."url" = $8::text
    ) is not null
    and "t1"."page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $9::smallint
        and "e"."text_key" = $10::uuid
        and "e"."url" = $11::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $12
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "PC"  $5 = "PC"  $6 = 1
-- $7 = "8068ee95affd9273f0622bdbb25546b6"  $8 = "/"  $9 = 1  $10 = "8068ee95affd9273f0622bdbb25546b6"
-- $11 = "/"  $12 = 1001

-- ## several operators on one column are ANDed
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" > $4::bigint
  and "t1"."browse_sec" < $5::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 5  $5 = 61  $6 = 1001

-- ## eq
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = $5::uuid
        and "e"."url" = $6::text
    ) is not null
    and "t1"."page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."url" = $9::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $6 = "/a"  $7 = 1
-- $8 = "0e17f6e6bd49eea9fdbc2a5a81225a83"  $9 = "/a"  $10 = 1001

-- ## neq is also true for null
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and ("t1"."browser_id" = (
      select "e"."browser_id"
      from "analytics"."browser" as "e"
      where "e"."text_key" = $4::uuid
        and "e"."browser" = $5::text
    )) is not true
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $6
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "bb344d39326efa26ab61f1e2d5a3828a"  $5 = "Safari"  $6 = 1001

-- ## eq null finds rows without a value
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."title" is null
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## a bare null means eq null
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."title" is null
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## neq null finds rows with a value
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."utm_source" is not null
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = 1001

-- ## the empty string is not null
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."os_id"
      from "analytics"."os" as "e"
      where "e"."text_key" = $4::uuid
        and "e"."os" = $5::text
    ) is not null
    and "t1"."os_id" = (
      select "e"."os_id"
      from "analytics"."os" as "e"
      where "e"."text_key" = $6::uuid
        and "e"."os" = $7::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $8
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = "055539df4a0b804c58caf46c0cd2941a"  $5 = ""
-- $6 = "055539df4a0b804c58caf46c0cd2941a"  $7 = ""  $8 = 1001

-- ## gt
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."irritation_click_count" > $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1001

-- ## gte
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" >= $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 25  $5 = 1001

-- ## lt ignores null
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" < $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1001

-- ## lte
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" <= $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 10  $5 = 1001

-- ## a fraction is compared with whole numbers
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" > $4::float8
  and "t1"."browse_sec" < $5::float8
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 9.5  $5 = 10.5  $6 = 1001

-- ## a number beyond the range of the column's type is valid
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."page_id" < $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 9000000000000000  $5 = 1001

-- ## a number beyond the range of integers is valid
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."pv_id" > $4::float8
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1e+300  $5 = 1001

-- ## between includes both ends
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" between $4::bigint
  and $5::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 5  $5 = 25  $6 = 1001

-- ## in
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and exists (
      select "e"."country_id"
      from "analytics"."country" as "e"
      where "e"."text_key" = any($4::uuid[])
        and "e"."country_code" = any($5::text[])
    )
    and "t1"."country_id" = any(array(
      select "e"."country_id"
      from "analytics"."country" as "e"
      where "e"."text_key" = any($6::uuid[])
        and "e"."country_code" = any($7::text[])
    ))
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $8
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600
-- $4 = ["a92c100630673027f4d0b81abda1edf3","557a432d639f60bf6a7b6c4a42ca0ef0"]  $5 = ["JP","DE"]
-- $6 = ["a92c100630673027f4d0b81abda1edf3","557a432d639f60bf6a7b6c4a42ca0ef0"]  $7 = ["JP","DE"]  $8 = 1001

-- ## text is case-sensitive
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."utm_source" = $5::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "google"  $6 = 1001

-- ## text is ordered bytewise
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."source" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."source_id" = "t1"."source_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."utm_source" collate "C" < $5::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "a"  $6 = 1001

-- ## contains
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and strpos("d2"."title", $5::text) > 0
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "Quote"  $6 = 1001

-- ## percent signs and underscores are plain characters
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and strpos("d2"."url", $5::text) > 0
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "%_"  $6 = 1001

-- ## backslashes are plain characters
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and strpos("d2"."url", $5::text) > 0
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "\\"  $6 = 1001

-- ## a single underscore only matches itself
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and strpos("d2"."url", $5::text) > 0
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "_"  $6 = 1001

-- ## prefix
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and starts_with("d2"."url", $5::text)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/a"  $6 = 1001

-- ## prefix with a wildcard character
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and starts_with("d2"."url", $5::text)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "/%"  $6 = 1001

-- ## quotes are plain characters
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."title" = $5::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = "Quote \" and ' and back\\slash"  $6 = 1001

-- ## SQL in a value is plain text
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = $5::uuid
        and "e"."url" = $6::text
    ) is not null
    and "t1"."page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."url" = $9::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "468df995b3f7bb4ff39d4d26fdcc46ec"
-- $6 = "/' or 1=1 --"  $7 = 1  $8 = "468df995b3f7bb4ff39d4d26fdcc46ec"  $9 = "/' or 1=1 --"  $10 = 1001

-- ## emoji
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = $5::uuid
        and "e"."url" = $6::text
    ) is not null
    and "t1"."page_id" = (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = $8::uuid
        and "e"."url" = $9::text
    )
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = "8012b4baf0aa06eaae04668a5a8264f0"  $6 = "/🙂"  $7 = 1
-- $8 = "8012b4baf0aa06eaae04668a5a8264f0"  $9 = "/🙂"  $10 = 1001

-- ## a flag takes 1
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## a flag takes false
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int = $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1001

-- ## a datetime takes local text
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" >= to_timestamp($4::float8)
  and "t1"."at" < to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777733999  $5 = 1780153200  $6 = 1001

-- ## a datetime takes UNIX seconds
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" = to_timestamp($4::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777561230  $5 = 1001

-- ## filters on parts of the time
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and extract(hour from ("t1"."at" at time zone make_interval(secs => $4::float8)))::int = $5::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = 9  $6 = 1001

-- ## days are compared as days
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("t1"."at" at time zone make_interval(secs => $4::float8))::date > $5::date
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = "2026-05-01"  $6 = 1001

-- ## a fraction of a second equals no time
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" = to_timestamp($4::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777561230.000001  $5 = 1001

-- ## a fraction of a second after a time
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777561230.000001  $5 = 1001

-- ## a fraction of a second before a time
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."at" between to_timestamp($4::float8)
  and to_timestamp($5::float8)
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1777561229.999999  $5 = 1777561230.000001  $6 = 1001

-- ## a list of datetimes
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and extract(epoch from "t1"."at") = any($4::numeric[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1777561230,1777561200]  $5 = 1001

-- ## a list of days
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and ("t1"."at" at time zone make_interval(secs => $4::float8))::date = any($5::date[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 32400  $5 = ["2026-05-31","2026-05-01"]  $6 = 1001

-- ## a list of strings
select "s2"."c1" as "r1"
from (
  select "t1"."pv_id" as "c1", "t1"."at" as "c2"
  from "analytics"."page_view" as "t1"
  where "t1"."site_id" = $1::smallint
    and "t1"."at" >= to_timestamp($2::float8)
    and "t1"."at" < to_timestamp($3::float8)
    and exists (
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $4::smallint
        and "e"."text_key" = any($5::uuid[])
        and "e"."url" = any($6::text[])
    )
    and "t1"."page_id" = any(array(
      select "e"."page_id"
      from "analytics"."page" as "e"
      where "e"."site_id" = $7::smallint
        and "e"."text_key" = any($8::uuid[])
        and "e"."url" = any($9::text[])
    ))
  order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
  limit $10
) as "s2"
order by "s2"."c2" asc nulls last, "s2"."c1" asc nulls last;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1
-- $5 = ["0e17f6e6bd49eea9fdbc2a5a81225a83","42da2bc44ffc5d7af4bec5705167f719"]  $6 = ["/a","/b'"]  $7 = 1
-- $8 = ["0e17f6e6bd49eea9fdbc2a5a81225a83","42da2bc44ffc5d7af4bec5705167f719"]  $9 = ["/a","/b'"]  $10 = 1001

-- ## a list with fractions
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."browse_sec" = any($4::float8[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [10,5.5]  $5 = 1001

-- ## a list of flags
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int = any($4::bigint[])
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = [1,0]  $5 = 1001

-- ## a flag above 0
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int > $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1001

-- ## a flag of at least 1
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int >= $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## a flag below 1
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int < $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 1  $5 = 1001

-- ## a flag of at most 0
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int <= $4::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $5;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1001

-- ## a flag between 0 and 1
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "t1"."is_last"::int between $4::bigint
  and $5::bigint
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = 0  $5 = 1  $6 = 1001
