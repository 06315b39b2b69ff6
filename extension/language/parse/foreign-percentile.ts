// Percentiles in the syntax of other languages: `p95(x)`, `PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY x)`, `QUANTILE(x, 0.95)`.
import { type RightForm, rightReference } from './foreign-expression';
import type { LooseSource } from './loose-source';

const COLUMN = String.raw`"?([\w.]+)"?`;
/** More digits would not fit into a percentage with four decimals. */
const SHARE = String.raw`(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})`;

/** `certain`: it interpolates linearly, as in QAL. `of`: the share is out of 1 or out of 100. */
const PERCENTILES: readonly {
  readonly form: RegExp;
  readonly certain: boolean;
  readonly of: 1 | 100;
  readonly isShareFirst?: true;
}[] = [
  { form: form('percentile', `${COLUMN}\\s*,\\s*${SHARE}`), certain: true, of: 100 },
  { form: form('(?:percentile|quantile)_cont', `${COLUMN}\\s*,\\s*${SHARE}`), certain: true, of: 1 },
  {
    form: form(
      '(?:percentile|quantile)_cont',
      `${SHARE}\\s*\\)\\s*within\\s+group\\s*\\(\\s*order\\s+by\\s+${COLUMN}(?:\\s+asc)?`,
    ),
    certain: true,
    of: 1,
    isShareFirst: true,
  },
  {
    form: form(
      '(?:percentile|quantile)_disc',
      `${SHARE}\\s*\\)\\s*within\\s+group\\s*\\(\\s*order\\s+by\\s+${COLUMN}(?:\\s+asc)?`,
    ),
    certain: false,
    of: 1,
    isShareFirst: true,
  },
  {
    form: form('quantile(?:exact|tdigest|timing)?', `${SHARE}\\s*\\)\\s*\\(\\s*${COLUMN}`),
    certain: false,
    of: 1,
    isShareFirst: true,
  },
  {
    form: form(
      '(?:percentile_disc|quantile_disc|quantile|approx_percentile|approx_quantile|percentile_approx)',
      `${COLUMN}\\s*,\\s*${SHARE}`,
    ),
    certain: false,
    of: 1,
  },
];

function form(name: string, inside: string): RegExp {
  return new RegExp(String.raw`^\s*${name}\s*\(\s*${inside}\s*\)\s*$`, 'i');
}

const NAMED_SHARE = new RegExp(String.raw`^\s*(?:p|percentile_?)(\d\d?)\s*\(\s*${COLUMN}\s*\)\s*$`, 'i');

/** BigQuery percentiles. */
const OFFSET = new RegExp(
  String.raw`^\s*approx_quantiles\s*\(\s*${COLUMN}\s*,\s*100\s*\)\s*\[\s*(?:safe_)?offset\s*\(\s*(\d\d?)\s*\)\s*\]\s*$`,
  'i',
);

export function percentileForm(text: string, source: LooseSource): RightForm | undefined {
  const [, percentage, named] = NAMED_SHARE.exec(text) ?? [];
  if (percentage !== undefined && named !== undefined)
    return percentileOf(named, Number(percentage), true, source);
  const [, column, hundredth] = OFFSET.exec(text) ?? [];
  if (column !== undefined) return percentileOf(column, Number(hundredth), false, source);
  for (const { form: pattern, certain, of, isShareFirst } of PERCENTILES) {
    const [, first, second] = pattern.exec(text) ?? [];
    if (first === undefined || second === undefined) continue;
    const [column, share] = isShareFirst ? [second, first] : [first, second];
    // In other languages, the same function takes a share of 1.
    const isOfOne = Number(share) <= 1;
    const whole = of === 1 || isOfOne ? Number((Number(share) * 100).toFixed(4)) : Number(share);
    const isCertain = certain && (of === 1 || !isOfOne);
    return whole <= 100 ? percentileOf(column, whole, isCertain, source) : undefined;
  }
  return undefined;
}

function percentileOf(column: string, percentage: number, certain: boolean, source: LooseSource) {
  const reference = rightReference(column, source);
  return (
    reference && {
      text: `PERCENTILE(${reference.text}, ${percentage})`,
      certain: certain && reference.certain,
    }
  );
}
