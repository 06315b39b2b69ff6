import type { ChannelRules } from '../../../manifests/reader/channels';

/** A field of sources and media that only the columnar copy has: a bitmask of the shipped rules that may match. */
export const CHANNEL_MASK = 'channel_mask';

/** The field of the dimension row that a key refers to. */
export interface LookupOrigin {
  readonly kind: 'lookup';
  readonly dimension: string;
  readonly key: string;
  readonly field: string;
  readonly bit: number | null;
}

/** The channel that the site's rules assign to the row's source and medium. */
export interface ChannelOrigin {
  readonly kind: 'channel';
  readonly source: LookupOrigin;
  readonly medium: LookupOrigin;
}

/** Sites with the same rules. */
export interface SiteChannels {
  readonly siteIds: readonly number[];
  readonly rules: ChannelRules;
}

/** `rules` apply to all sites that are not in `ofSites`. */
export interface RulesOfSites {
  readonly rules: ChannelRules;
  /** Whether `rules` are the shipped ones. */
  readonly isShipped: boolean;
  readonly ofSites: readonly SiteChannels[];
}

/** With `numberIn`, the value is the position of the channel in this list, which contains each channel once. */
export interface ChannelRulesOfSites extends RulesOfSites {
  readonly numberIn?: readonly string[];
}
