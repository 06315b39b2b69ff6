// Owns which column holds a time cut to its day, hour or month, as other languages calculate it.

const CUTS: readonly (readonly [expression: RegExp, column: string])[] = [
  [/^(to_)?date\((\w+\.)?access_time\)$/, 'access_date'],
  [/^date_trunc\(["']day["'],(\w+\.)?access_time\)$/, 'access_date'],
  [/^date_trunc\(["']month["'],(\w+\.)?access_time\)$/, 'access_month'],
  [/^hour\((\w+\.)?access_time\)$/, 'access_hour'],
];

/** `DATE(allpv.access_time)` -> access_date. */
export function cutTime(expression: string): string | undefined {
  const folded = expression.toLowerCase().replace(/\s/g, '');
  return CUTS.find(([pattern]) => pattern.test(folded))?.[1];
}
