// The guide as data, independent of a contract's format.
import type { SiteChannelRules } from '../../../manifests/reader/channels';
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import type { SiteFacts } from '../../data/storage/sites/list-sites';
import type { Scope } from '../../language/types/resolved-query';

/** Maps each name that `GET /guide?parts=` accepts to the keys of the guide that it includes. */
export const GUIDE_PARTS = {
  compact: ['documentation', 'sites'],
  sites: ['sites'],
  features: ['features', 'features_detail'],
  instructions: ['documentation'],
  examples: ['documentation'],
  errors: ['documentation'],
  materials: ['documentation'],
  rules: ['documentation'],
} as const;

export type GuidePart = keyof typeof GUIDE_PARTS;

export interface RequestedParts {
  readonly parts: ReadonlySet<GuidePart>;
  readonly materials: ReadonlySet<string> | undefined;
}

export interface Guide {
  readonly version: string;
  readonly apiUpdate: string;
  readonly timestamp: Date;
  readonly pluginVersion: string;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
  readonly sites: readonly GuideSite[];
  readonly limits: {
    readonly maxRows: number;
    readonly queryTimeoutSeconds: number;
    /** The limit for JSON responses; 0 = no limit. */
    readonly maxAnswerBytes: number;
  };
  readonly documentation: { readonly source: string; readonly sections: readonly GuideSection[] };
}

export interface GuideSite extends Omit<SiteFacts, 'retentionDays'> {
  /** The first local day with data; null if there is no data. */
  readonly dataAvailableFrom: string | null;
  readonly goals: readonly GuideGoal[];
  /** The availability of each material; null if it was not read. */
  readonly availability: ReadonlyMap<string, Availability | null> | null;
  /** Null if the feature is off. */
  readonly observedEvents: Scope['events'] | null;
  /** The flags that are 1 on at least one page of the site. Null if they were not read. */
  readonly pageFlags: readonly string[] | null;
  /** The channel rules from the sites file. Null if there are none, or if the feature is off. */
  readonly channels: SiteChannelRules | null;
}

export interface GuideGoal {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly condition: GoalCondition;
}

export type GoalCondition = string | Readonly<Record<string, unknown>>;

export interface Availability {
  /** Approximate. */
  readonly rows: number;
  /** Local days. */
  readonly firstDay: string;
  readonly lastDay: string;
}

export interface GuideText {
  /** Relative to the `manifests` folder. */
  readonly path: string;
  readonly category: 'instructions' | 'spec' | 'overview' | 'reference';
  readonly file: string;
  readonly title: string;
  readonly format: 'markdown' | 'yaml';
  /** The parts that include it; undefined if the contract's guide has no parts. */
  readonly parts?: readonly GuidePart[] | undefined;
  /** Set if the text is included only if its part is requested. */
  readonly onDemand?: true;
}

export interface GuideSection extends Omit<GuideText, 'path' | 'parts' | 'onDemand'> {
  readonly content: string;
}
