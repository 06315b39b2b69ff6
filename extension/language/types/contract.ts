// A contract as the phases of a query see it: named rules and features, never a date.

import type { Contract as ContractRules } from '../../../manifests/reader/manifest';
import type { WordDefinition } from '../../../manifests/reader/schema';

export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
}

/** Whether the contract has a feature and it is on. */
export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;

/** The filter operators or calc functions whose features are on. */
export const wordsOf = (
  contract: Contract,
  words: 'filter_operators' | 'calc_functions',
): Readonly<Record<string, WordDefinition>> =>
  Object.fromEntries(
    Object.entries(contract.rules.request[words]).filter(
      ([, { feature }]) => feature === undefined || isEnabled(contract, feature),
    ),
  );
