// A contract as the phases of a query see it. They ask for named rules and features, never for its date.

import type { Contract as ContractRules } from '../../../manifests/reader/manifest';
import type { WordDefinition } from '../../../manifests/reader/schema';

export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
}

/** Whether a feature is on under a contract; one that the contract does not know is off. */
export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;

/** The filter operators or the functions of calc whose features are on. */
export const wordsOf = (
  contract: Contract,
  words: 'filter_operators' | 'calc_functions',
): Readonly<Record<string, WordDefinition>> =>
  Object.fromEntries(
    Object.entries(contract.rules.request[words]).filter(
      ([, { feature }]) => feature === undefined || isEnabled(contract, feature),
    ),
  );
