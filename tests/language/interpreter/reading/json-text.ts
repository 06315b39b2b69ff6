// Formats JSON as PostgreSQL's jsonb does: spaces after ":" and ",", shorter keys first, no exponents.
import { formatCount } from './decimals';
import type { Json } from './tables';

export function jsonText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value === 'number') return formatCount(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => compareKeys(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}: ${jsonText(inner)}`).join(', ')}}`;
}

const compareKeys = (a: Buffer, b: Buffer): number => a.length - b.length || Buffer.compare(a, b);
