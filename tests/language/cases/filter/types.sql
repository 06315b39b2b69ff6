-- ## null matches no other operator
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."page" as "d2" on "d2"."site_id" = $1::smallint
  and "d2"."page_id" = "t1"."page_id"
where "t1"."site_id" = $2::smallint
  and "t1"."at" >= to_timestamp($3::float8)
  and "t1"."at" < to_timestamp($4::float8)
  and "d2"."title" collate "C" >= $5::text
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $6;
-- $1 = 1  $2 = 1  $3 = 1777561200  $4 = 1780239600  $5 = ""  $6 = 1001

-- ## null matches no list, range, contains or prefix
select "t1"."pv_id" as "r1"
from "analytics"."page_view" as "t1"
left join "analytics"."browser" as "d2" on "d2"."browser_id" = "t1"."browser_id"
where "t1"."site_id" = $1::smallint
  and "t1"."at" >= to_timestamp($2::float8)
  and "t1"."at" < to_timestamp($3::float8)
  and "d2"."browser" collate "C" between $4::text
  and $5::text
  and strpos("d2"."browser", $6::text) > 0
  and starts_with("d2"."browser", $7::text)
  and exists (
    select "e"."browser_id"
    from "analytics"."browser" as "e"
    where "e"."text_key" = any($8::uuid[])
      and "e"."browser" = any($9::text[])
  )
  and "t1"."browser_id" = any(array(
    select "e"."browser_id"
    from "analytics"."browser" as "e"
    where "e"."text_key" = any($10::uuid[])
      and "e"."browser" = any($11::text[])
  ))
order by "t1"."at" asc nulls last, "t1"."pv_id" asc nulls last
limit $12;
-- $1 = 1  $2 = 1777561200  $3 = 1780239600  $4 = ""  $5 = "z"  $6 = ""  $7 = ""
-- $8 = ["be490caee6ad3050e324643a0d744f52","bb344d39326efa26ab61f1e2d5a3828a","d30e3d9edcae8a89a47c090edc615c0a"]
-- $9 = ["Edge","Safari","Chrome"]
-- $10 = ["be490caee6ad3050e324643a0d744f52","bb344d39326efa26ab61f1e2d5a3828a","d30e3d9edcae8a89a47c090edc615c0a"]
-- $11 = ["Edge","Safari","Chrome"]  $12 = 1001
