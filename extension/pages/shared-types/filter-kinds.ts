// The kinds of filters, with their names in the form, in URLs and in displayed text.

/** Comparisons that match part of a string. */
export const TEXT_OPS = ['contains', 'prefix'] as const;

export interface Compared {
  /** By default, values must match in full. */
  readonly op?: (typeof TEXT_OPS)[number] | undefined;
  /** If true, excludes the values. */
  readonly not: boolean;
}

interface FilterKind {
  readonly id: string;
  readonly words: string;
  readonly compared: Compared;
}

export const FILTER_KINDS: readonly FilterKind[] = [
  { id: 'is', words: 'is', compared: { not: false } },
  { id: 'not', words: 'is not', compared: { not: true } },
  { id: 'contains', words: 'contains', compared: { op: 'contains', not: false } },
  { id: 'not_contains', words: 'does not contain', compared: { op: 'contains', not: true } },
  { id: 'prefix', words: 'starts with', compared: { op: 'prefix', not: false } },
  { id: 'not_prefix', words: 'does not start with', compared: { op: 'prefix', not: true } },
];

function kindWhere(matches: (kind: FilterKind) => boolean): FilterKind {
  const kind = FILTER_KINDS.find(matches);
  if (kind === undefined) throw new Error('There is no such kind of filter.');
  return kind;
}

export const kindWithId = (id: string): FilterKind => kindWhere((kind) => kind.id === id);

export const kindOf = ({ op, not }: Compared): FilterKind =>
  kindWhere(({ compared }) => compared.op === op && compared.not === not);
