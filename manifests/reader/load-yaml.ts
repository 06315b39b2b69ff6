// Parses YAML within limits, because users may pass any file, and an alias repeats a value without repeating its text.
import { load, YAMLException } from 'js-yaml';

/** In characters. */
const MAX_YAML_LENGTH = 16_000_000;
/** Values in an alias are counted each time the alias is used. */
const MAX_VALUES = 1_000_000;
const MAX_LEVELS = 100;

/** Throws a YAMLException, which has no `mark` if the text is YAML but exceeds a limit. `filename` is used only in messages. */
export function loadYaml(text: string, filename?: string): unknown {
  if (text.length > MAX_YAML_LENGTH) throw new YAMLException(`is longer than ${MAX_YAML_LENGTH} characters`);
  const value = load(text, { ...(filename !== undefined && { filename }), maxDepth: MAX_LEVELS });
  refuseLarge(value);
  return value;
}

function refuseLarge(whole: unknown): void {
  let values = 0;
  const count = (value: unknown, level: number): void => {
    values += 1;
    if (values > MAX_VALUES)
      throw new YAMLException(`has more than ${MAX_VALUES} values with aliases expanded`);
    if (typeof value !== 'object' || value === null) return;
    if (level === MAX_LEVELS)
      throw new YAMLException(`is nested more than ${MAX_LEVELS} levels deep with aliases expanded`);
    for (const inner of Object.values(value)) count(inner, level + 1);
  };
  count(whole, 0);
}
