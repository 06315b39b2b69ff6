// How the pages say a number of things: "1 row", "1,234 rows".

/** A count of things, in English. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
