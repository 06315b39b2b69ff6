// Owns the settings that the installation gives the extension.
import type { Envelope } from './contracts/contract';

export interface AnalyticsSettings {
  /** REST namespace without slashes at its ends. */
  readonly namespace: string;
  /** `latest`, `oldest` or the date of a contract: what a request without `version` runs under. */
  readonly defaultVersion: string;
  readonly queryTimeoutSeconds: number;
  /** Address of a human-readable mirror of the documentation; told in the guide, never fetched. */
  readonly docsUrl: string;
  readonly responseEnvelope: Envelope;
  /** Whether the counts that are kept of sites answer queries. */
  readonly rollups: boolean;
  /** How much memory kept results may take; 0: none are kept. */
  readonly resultCacheMb: number;
}
