// Applies an installation's feature switches to a contract. They can only turn features off, never on.
import { frozenMap } from '../../../manifests/reader/freeze';
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import { featureError } from '../../language/errors/feature-error';
import { isEnabled } from '../../language/types/contract';
import type { InstalledContract } from './contract';

/** Features that describe how this server works and cannot be turned off. */
const ALWAYS_ON: ReadonlySet<string> = new Set(['guide_local_source']);

export const hasSwitch = (name: string, { enabled }: Readonly<FeatureDefinition>): boolean =>
  enabled && !ALWAYS_ON.has(name);

/** The last result of `withSwitches` for each contract. Reused, because callers cache by identity. */
const latest = new WeakMap<
  InstalledContract,
  { readonly off: string; readonly contract: InstalledContract }
>();

/** The contract with these features off. Returns the same object until the switches change. */
export function withSwitches(
  contract: InstalledContract,
  switchedOff: ReadonlySet<string>,
): InstalledContract {
  const { features } = contract.rules;
  const off = [...features].flatMap(([name, feature]) =>
    hasSwitch(name, feature) && switchedOff.has(name) ? [name] : [],
  );
  if (off.length === 0) return contract;
  const key = off.join(' ');
  const known = latest.get(contract);
  if (known?.off === key) return known.contract;
  const switchedFeatures = [...features].map(
    ([name, it]) => [name, off.includes(name) ? { ...it, enabled: false } : it] as const,
  );
  const switched: InstalledContract = {
    ...contract,
    rules: { ...contract.rules, features: frozenMap(switchedFeatures) },
  };
  latest.set(contract, { off: key, contract: switched });
  return switched;
}

export const ANSWER_FORMATS_FEATURE = 'answer_formats';

/** The results of `forStreaming`, which are reused because callers cache by identity. */
const forms = new WeakMap<InstalledContract, InstalledContract>();

/** The contract with the row limit of streamed formats. Throws a QueryError for the `format` parameter if the feature is off. */
export function forStreaming(contract: InstalledContract): InstalledContract {
  const { rules } = contract;
  const { max_streamed_rows: maxRows } = rules.limits;
  if (!isEnabled(contract, ANSWER_FORMATS_FEATURE) || maxRows === null)
    throw featureError(contract, ANSWER_FORMATS_FEATURE, 'format');
  const known = forms.get(contract);
  if (known !== undefined) return known;
  const form = { ...contract, rules: { ...rules, limits: { ...rules.limits, max_rows: maxRows } } };
  forms.set(contract, form);
  return form;
}
