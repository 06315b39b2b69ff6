import type { Contract as ContractRules } from '../../../manifests/reader/manifest';
import type { WordDefinition } from '../../../manifests/reader/schema';

/** A contract as the phases of a query see it. They check its rules and features, and never compare versions. */
export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
}

export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;

/** The filter operators or calc functions that are enabled. */
export const wordsOf = (
  contract: Contract,
  words: 'filter_operators' | 'calc_functions',
): Readonly<Record<string, WordDefinition>> =>
  Object.fromEntries(
    Object.entries(contract.rules.request[words]).filter(
      ([, { feature }]) => feature === undefined || isEnabled(contract, feature),
    ),
  );
