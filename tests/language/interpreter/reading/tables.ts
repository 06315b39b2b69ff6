// The rows of each table, in memory. Ids are unique only within their site, and `at` is in epoch seconds.
import type { SiteRules } from './channels';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A value in a row of a material. Datetimes are epoch seconds until they are printed. */
export type Value = string | number | null;

interface SiteRow {
  readonly site_id: number;
}

export interface Site extends SiteRow {
  readonly tracking_id: string;
  readonly timezone: string;
}

/** A site's channel rules, as in its sites file. */
interface ChannelRules extends SiteRow {
  readonly rules: SiteRules;
}

export interface Page extends SiteRow {
  readonly page_id: number;
  readonly url: string;
  readonly title: string | null;
  readonly page_type: number | null;
  readonly page_fetch_status: number | null;
}

export interface Source extends SiteRow {
  readonly source_id: number;
  readonly source_domain: string | null;
  readonly referrer: string | null;
  readonly utm_source: string | null;
  readonly utm_term: string | null;
  readonly click_id_name: string | null;
}

interface Location extends SiteRow {
  readonly location_id: number;
  readonly region: string | null;
  readonly city: string | null;
}

export interface PageView extends SiteRow {
  readonly at: number;
  readonly pv_id: number;
  readonly session_id: number;
  readonly reader_id: number;
  readonly page_id: number;
  readonly prev_page_id: number;
  readonly next_page_id: number;
  readonly device_id: number | null;
  readonly pv: number;
  readonly is_last: boolean;
  readonly is_newuser: boolean;
  readonly deep_read: boolean;
  readonly is_submit: boolean;
  readonly source_id: number | null;
  readonly medium_id: number | null;
  readonly campaign_id: number | null;
  readonly content_id: number | null;
  readonly os_id: number | null;
  readonly browser_id: number | null;
  readonly language_id: number | null;
  readonly country_id: number | null;
  readonly location_id: number | null;
  readonly version_id: number | null;
  readonly browse_sec: number | null;
  readonly speed_msec: number | null;
  readonly depth_position: number | null;
  readonly stop_max_pos: number | null;
  readonly exit_pos: number | null;
  readonly stop_max_sec: number | null;
  readonly window_inner_width: number | null;
  readonly window_inner_height: number | null;
  readonly irritation_click_count: number;
  readonly dead_click_image_count: number;
  readonly scroll_back_count: number;
  readonly content_skip_count: number;
  readonly exploration_count: number;
}

export interface Click extends SiteRow {
  readonly click_id: number;
  readonly at: number;
  readonly view_at: number;
  readonly pv_id: number;
  readonly session_id: number;
  readonly page_id: number;
  readonly selector_id: number;
  readonly action_id: number;
  readonly event_sec: number;
  readonly is_external: boolean;
  readonly page_x_pct: number | null;
  readonly page_y_pct: number | null;
  readonly element_text: string | null;
  readonly element_id: string | null;
  readonly element_class: string | null;
  readonly element_data: string | null;
  readonly to_url: string | null;
}

export interface LayerEvent extends SiteRow {
  readonly event_id: number;
  readonly at: number;
  readonly view_at: number;
  readonly pv_id: number;
  readonly session_id: number;
  readonly page_id: number;
  readonly event_name_id: number;
  readonly params: { readonly [name: string]: Json };
}

export interface EventName extends SiteRow {
  readonly event_name_id: number;
  readonly event_name: string;
  /** Parameters that are columns, with the common type of all their values. */
  readonly observed: Readonly<Record<string, 'number' | 'string'>>;
}

export interface SearchDay extends SiteRow {
  readonly day: string;
  readonly page_id: number;
  readonly query_id: number;
  readonly search_type: number;
  readonly clicks: number;
  readonly impressions: number;
  readonly position_x100: number;
}

export interface PageVersion extends SiteRow {
  readonly version_id: number;
  readonly page_id: number;
  readonly device_id: number;
  readonly version_no: number;
  readonly update_date: string;
}

export interface Goal extends SiteRow {
  readonly goal_no: number;
  readonly name: string;
  readonly type: string;
  readonly condition: Json;
}

export interface Conversion extends SiteRow {
  readonly goal_no: number;
  readonly session_id: number;
  readonly pv_id: number;
  readonly at: number;
}

interface SiteMonth extends SiteRow {
  readonly month: string;
  readonly sessions: number;
  readonly active_users: number;
}

/** A row of a dimension table: an id and its string. */
type Texts<Id extends string, Text extends string> = SiteRow & { readonly [K in Id]: number } & {
  readonly [K in Text]: string;
};

/** All tables by name. Rows of shared dimension tables do not belong to a site. */
export interface Tables {
  readonly site: readonly Site[];
  readonly channel_rules: readonly ChannelRules[];
  readonly page: readonly Page[];
  readonly source: readonly Source[];
  readonly medium: readonly Texts<'medium_id', 'utm_medium'>[];
  readonly campaign: readonly Texts<'campaign_id', 'utm_campaign'>[];
  readonly content: readonly Texts<'content_id', 'utm_content'>[];
  readonly location: readonly Location[];
  readonly selector: readonly Texts<'selector_id', 'selector'>[];
  readonly keyword: readonly Texts<'query_id', 'keyword'>[];
  readonly reader: readonly Texts<'reader_id', 'original_id'>[];
  readonly event_name: readonly EventName[];
  readonly os: readonly { readonly os_id: number; readonly os: string }[];
  readonly browser: readonly { readonly browser_id: number; readonly browser: string }[];
  readonly language: readonly { readonly language_id: number; readonly language: string }[];
  readonly country: readonly { readonly country_id: number; readonly country_code: string }[];
  readonly page_view: readonly PageView[];
  readonly click: readonly Click[];
  readonly event: readonly LayerEvent[];
  readonly search_day: readonly SearchDay[];
  readonly page_version: readonly PageVersion[];
  readonly goal: readonly Goal[];
  readonly conversion: readonly Conversion[];
  readonly ga4_age_gender: readonly (SiteMonth & { readonly age: number; readonly gender: number })[];
  readonly ga4_country: readonly (SiteMonth & { readonly country_code: string })[];
  readonly ga4_region: readonly (SiteMonth & {
    readonly region: number;
    readonly region_name: string | null;
  })[];
}
