// The guide as data, before a contract turns it into a response.
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import type { Scope } from '../../language/types/resolved-query';

/** What `GET /guide?parts=` can name -> the keys of the guide that it fills. */
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

/** Some parts of the guide. */
export interface AskedParts {
  readonly parts: ReadonlySet<GuidePart>;
  /** Names of materials; undefined = all of them. */
  readonly materials: ReadonlySet<string> | undefined;
}

export interface Guide {
  readonly version: string;
  readonly apiUpdate: string;
  readonly timestamp: Date;
  readonly pluginVersion: string;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
  readonly sites: readonly GuideSite[];
  readonly limits: GuideLimits;
  readonly documentation: { readonly source: string; readonly sections: readonly GuideSection[] };
}

export interface GuideSite {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly isDefault: boolean;
  /** The first local day with data, or null without any. */
  readonly dataAvailableFrom: string | null;
  readonly timezone: string;
  readonly goals: readonly GuideGoal[];
  /** By material; null where it was not read. */
  readonly availability: ReadonlyMap<string, Availability | null> | null;
  /** Null where the feature is off. */
  readonly observedEvents: Scope['events'] | null;
}

/** A goal as its site defined it: with a text or an object as its condition. */
export interface GuideGoal {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly condition: GoalCondition;
}

export type GoalCondition = string | Readonly<Record<string, unknown>>;

/** How much data there is of a material: the approximate number of rows, and the local days of the first and last one. */
export interface Availability {
  readonly rows: number;
  readonly firstDay: string;
  readonly lastDay: string;
}

interface GuideLimits {
  readonly maxRows: number;
  readonly queryTimeoutSeconds: number;
  /** Of an answer in JSON; 0 = any. */
  readonly maxAnswerBytes: number;
}

/** A text of the guide: its path below the manifests, and how the guide lists it. */
export interface GuideText {
  readonly path: string;
  readonly category: 'instructions' | 'spec' | 'overview' | 'reference';
  readonly file: string;
  readonly title: string;
  readonly format: 'markdown' | 'yaml';
  /** The parts that have it; absent under a contract whose guide has no parts. */
  readonly parts?: readonly GuidePart[];
  /** The guide has it only where its part is asked for. */
  readonly onDemand?: true;
}

export interface GuideSection extends Omit<GuideText, 'path' | 'parts' | 'onDemand'> {
  readonly content: string;
}
