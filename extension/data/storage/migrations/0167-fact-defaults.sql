-- What a view has where no file gave the fact. The importer reads these defaults.
ALTER TABLE analytics.page_view
  ALTER irritation_click_count SET DEFAULT 0,
  ALTER deep_read SET DEFAULT false,
  ALTER is_submit SET DEFAULT false,
  ALTER dead_click_image_count SET DEFAULT 0,
  ALTER scroll_back_count SET DEFAULT 0,
  ALTER content_skip_count SET DEFAULT 0,
  ALTER exploration_count SET DEFAULT 0;
