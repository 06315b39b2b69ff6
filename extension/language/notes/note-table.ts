// The messages of all notes: what people may misunderstand in a valid query. Placeholders work as in the error table.

interface NoteWords {
  readonly message: string;
  /** Suggests what to write instead, if anything. Left out if it contains <right> and <right> is unknown. */
  readonly hint?: string;
}

export const NOTES = {
  'no rows': { message: 'The site has no rows in <material> at all, in any period.' },
  'no page': {
    message: 'No page of the site has <column:text>, so it is never 1.',
    hint: 'Filter by url instead.',
  },
  'path of url': {
    message: '<column:text> contains whole URLs, but <received> is a path.',
    hint: 'Write "url_path": <received>, or the whole URL.',
  },
  'part of url': {
    message: '<column:text> contains whole URLs, but <received> is not the beginning of one.',
    hint: 'Write the whole URL, or <column>: {"contains": <received>}.',
  },
  'country form': {
    message: '<column:text> contains two capital letters (ISO 3166-1 alpha-2), so no row has <received>.',
    hint: 'Write <right>.',
  },
  'no channel': {
    message: 'No channel rule assigns <received>, so no row has it.',
    hint: 'Write <right>.',
  },
  'month form': {
    message: '<column:text> contains months as YYYY-MM, compared as text, so no row has <received>.',
    hint: 'Write <right>.',
  },
  'week form': {
    message: '<column:text> contains the Monday of each week, so no row has <received>.',
    hint: 'Write <right>.',
  },
  'null as text': {
    message: 'Rows without a value have null in <column:text>, not the string <received>.',
    hint: 'Write <column>: null for rows without a value, and <column>: {"neq": null} for rows with one.',
  },
  'operator in list': {
    message: 'A list means "one of these values", so <received> is one of the values here.',
    hint: 'Write <column>: {<right>: ...}.',
  },
  'swapped bounds': {
    message: 'No value is between <low> and <high>: the first bound of "between" is the lower one.',
    hint: 'Write <column>: {"between": [<high>, <low>]}.',
  },
  'out of range': {
    message: '<column:text> is <range:text>, so no row has <received>.',
    hint: 'Write <right>.',
  },
  'share as percentage': {
    message: 'PERCENTILE takes a percentage from 0 to 100: this is less than 1 percent of the values.',
    hint: 'Write PERCENTILE(<reference:text>, <right>) for that share of the values.',
  },
  'mean of ratios': {
    message: 'AVERAGE(<reference:text>) counts each row once, however many impressions it has.',
    hint: 'Write <right:text>, which weights rows by impressions.',
  },
  'filled count': {
    message: '<function:text> also counts rows without a match, because "fill" gives them the value <fill>.',
    hint: 'Leave out "fill": <function:text> of nothing is 0.',
  },
} as const satisfies Readonly<Record<string, NoteWords>>;

export type NoteName = keyof typeof NOTES;
