// The contract for answers that are not JSON: their rows are sent as they are read, so their row limit is larger.
import { featureError } from '../../language/errors/feature-error';
import { isEnabled } from '../../language/types/contract';
import type { InstalledContract } from './contract';

export const ANSWER_FORMATS_FEATURE = 'answer_formats';

/** Reused, because callers cache by identity. */
const forms = new WeakMap<InstalledContract, InstalledContract>();

/** If the feature is off, throws its QueryError, pointing at the `format` parameter. */
export function forStreaming(contract: InstalledContract): InstalledContract {
  const { rules } = contract;
  const { max_streamed_rows: most } = rules.limits;
  if (!isEnabled(contract, ANSWER_FORMATS_FEATURE) || most === null)
    throw featureError(contract, ANSWER_FORMATS_FEATURE, 'format');
  const known = forms.get(contract);
  if (known !== undefined) return known;
  const form = { ...contract, rules: { ...rules, limits: { ...rules.limits, max_rows: most } } };
  forms.set(contract, form);
  return form;
}
