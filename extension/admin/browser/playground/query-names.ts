// What the names of a half-written query stand for: its materials, its views, and the columns of both.
// query text + catalogue -> what can be written at a place. A view sees only those before it.
import type { Node } from 'jsonc-parser';
import type { Catalogue, CatalogueColumn } from './catalogue';
import { itemsOf, memberOf, membersOf, nodeAt, stringOf, stringsOf } from './query-text';

/** What columns are written with before the dot, and which there are. */
export interface Side {
  readonly prefix: string;
  /** The material that it goes back to: what on.left is written with. */
  readonly material: string;
  readonly columns: readonly OutputColumn[];
  /** Columns that a join may use. */
  readonly join: readonly string[];
}

/** A column that a view gives. */
export interface OutputColumn extends CatalogueColumn {
  /** COUNT, SUM ... of a number that was calculated for each row; absent where the column tells rows apart. */
  readonly calc?: string;
}

export interface NamedView {
  readonly name: string;
  readonly from: Side | undefined;
  readonly joined: Side | undefined;
  readonly output: readonly OutputColumn[];
}

const NUMBERS_BY_COUNTING = new Set(['COUNT', 'COUNTUNIQUE']);
const NUMBERS_BY_ARITHMETIC = new Set(['SUM', 'AVERAGE']);

/** The materials that the query lists, in order. */
export const listedMaterials = (query: Node | undefined): readonly string[] =>
  itemsOf(memberOf(query, 'materials')).flatMap((item) => stringOf(memberOf(item, 'name')) ?? []);

/** The views in their order, each seeing those before it. */
export function viewsOf(
  query: Node | undefined,
  catalogue: Pick<Catalogue, 'materials'>,
): readonly NamedView[] {
  const views: NamedView[] = [];
  for (const { name, value } of membersOf(memberOf(query, 'make'))) {
    const sideOf = (side: string | undefined) =>
      side === undefined ? undefined : findSide(side, views, catalogue);
    const from = sideOf(stringsOf(memberOf(value, 'from'))[0]);
    const joined = sideOf(stringOf(nodeAt(value, ['join', 'with'])));
    views.push({ name, from, joined, output: outputOf(value, from, joined) });
  }
  return views;
}

/** The columns of the answer, as far as they are known. */
export function answerColumns(
  query: Node | undefined,
  catalogue: Pick<Catalogue, 'materials'>,
): readonly OutputColumn[] {
  const use = stringOf(nodeAt(query, ['result', 'use']));
  return viewsOf(query, catalogue).find(({ name }) => name === use)?.output ?? [];
}

/** The columns of an answer by their names, with what the query says of each. */
export function answeredColumns(
  names: readonly string[],
  query: Node | undefined,
  catalogue: Pick<Catalogue, 'materials'>,
): readonly Pick<OutputColumn, 'name' | 'calc'>[] {
  if (nodeAt(query, ['result', 'count_only'])?.value === true)
    return names.map((name) => ({ name, calc: 'COUNT' }));
  const columns = answerColumns(query, catalogue);
  return names.map((name, i) => {
    const calc = (columns[i]?.name === name ? columns[i] : columns.find((it) => it.name === name))?.calc;
    return { name, ...(calc === undefined ? {} : { calc }) };
  });
}

function findSide(
  name: string,
  earlier: readonly NamedView[],
  { materials }: Pick<Catalogue, 'materials'>,
): Side | undefined {
  const view = earlier.find((it) => it.name === name);
  if (view !== undefined) {
    const { output, from } = view;
    const join = output.map((column) => column.name).filter((column) => from?.join.includes(column));
    return { prefix: name, material: from?.material ?? name, columns: output, join };
  }
  const material = materials.find((it) => it.name === name);
  return material && { prefix: name, material: name, columns: material.columns, join: material.join };
}

function outputOf(
  view: Node | undefined,
  from: Side | undefined,
  joined: Side | undefined,
): readonly OutputColumn[] {
  const sides = [from, joined].filter((side) => side !== undefined);
  const kept = stringsOf(memberOf(view, 'keep')).map((reference) => columnOf(reference, sides));
  const calculated = membersOf(memberOf(view, 'calc')).map(({ name, value }): OutputColumn => {
    const about = stringOf(value) ?? '';
    return { name, about, type: typeOfCalc(about, sides), calc: readCalc(about).word };
  });
  // Beside a calc, what is kept makes the groups, also where it was calculated by an earlier view.
  return calculated.length === 0 ? kept : [...kept.map(({ calc: _, ...group }) => group), ...calculated];
}

function columnOf(reference: string, sides: readonly Side[]): OutputColumn {
  const dot = reference.lastIndexOf('.');
  const name = reference.slice(dot + 1);
  const prefix = reference.slice(0, Math.max(dot, 0));
  const side = sides.find((it) => it.prefix === prefix || it.material === prefix);
  return side?.columns.find((column) => column.name === name) ?? { name, type: '', about: reference };
}

/** `COUNT(allpv.pv_id)` in its two parts, the function in capitals. */
function readCalc(calc: string): { readonly word: string; readonly reference: string } {
  const [, word = '', reference = ''] = /^\s*(\w+)\s*\(\s*(.*?)\s*\)\s*$/.exec(calc) ?? [];
  return { word: word.toUpperCase(), reference };
}

function typeOfCalc(calc: string, sides: readonly Side[]): string {
  const { word, reference } = readCalc(calc);
  if (NUMBERS_BY_COUNTING.has(word)) return 'int';
  return NUMBERS_BY_ARITHMETIC.has(word) ? 'num' : columnOf(reference, sides).type;
}
