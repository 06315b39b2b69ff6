// How counts are written: "1,234", "1 row", "1,234 rows".

export const digitsOf = (count: number): string => count.toLocaleString('en');

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${digitsOf(count)} ${count === 1 ? one : many}`;
