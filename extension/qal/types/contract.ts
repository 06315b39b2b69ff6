// A contract as the phases of a query see it. They ask for named rules and features, never for its date.
import type { Contract as ContractRules } from '../../../manifests/reader/manifest';

export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
}

/** Whether a feature is on under a contract; one that the contract does not know is off. */
export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;
