-- The position of a view among those of its second, where that is not its pv_id: the view comes before one that was stored earlier.
ALTER TABLE analytics.page_view ADD COLUMN order_no numeric;
