// The wording of all query errors. <name> is a parameter as JSON, <name:text> is the same without quotes, and <name:list> is a
// list such as `a, b and c`. In <name:quoted>, the items of the list are JSON; in <name:either>, the last item follows "or".

/** The wording of one error. */
export interface Words {
  readonly message: string;
  /** Always shown. */
  readonly hint?: string;
  /** The `hint` parameter selects one of these. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Shown if there is no hint, repair or similar name. */
  readonly example?: string;
  /** The parameter for each field of `details`; `hint` is the hint itself. */
  readonly details?: Readonly<Record<string, string>>;
}

export interface ErrorEntry extends Partial<Words> {
  readonly status: number;
  /** When the error occurs, for the documentation. */
  readonly when: string;
  /** Used if a code covers several errors. */
  readonly faults?: Readonly<Record<string, Words>>;
}

/** Hints for columns that only another contract has. */
const INSTEAD = {
  division: 'Calculate <dividend> and <divisor>, and divide the first by the second.',
  days: 'Keep <date> and <position>; the value is in the row for the <day:text> day.',
  'earlier view': 'Calculate <name>: <expression> in an earlier view, and read it from there.',
} as const;

/** Hints for keys from other products. */
const OTHER_FORMS = {
  'other period':
    'Remove it, and add a second view with its own "time" for the other period; a third view can join the two on their kept columns.',
  'other query': 'Remove it, and send a second query with the "time" of the other period.',
  'time part':
    'Remove it, and keep a time column such as "access_date", "access_week" or "access_month", or, in gsc, "date", "week" or "month".',
  totals: 'Remove it: a view with "keep": [] returns the total.',
  format: 'The format is not part of a query: use /query?format=csv or the Accept header.',
  grouping: 'Remove it: with a calc, each distinct combination of the kept columns is one row.',
  'same key': 'The query already has <meant>, which means the same: change that, and remove <key>.',
  'in time': 'Write "tz" in "time".',
  'in view': 'Write <clause> in a view of "make".',
} as const;

/** Examples for users of other tools: a common question, as a QAL query. */
const TOOLS = {
  Plausible:
    'This is a Plausible query. Here, visitors by page are {"materials": [{"name": "allpv"}], "make": {"pages": {"from": ["allpv"], "keep": ["allpv.url"], "calc": {"visitors": "COUNTUNIQUE(allpv.reader_id)"}}}, "result": {"use": "pages"}}, with "tracking_id" and "time": see GET guide?parts=compact.',
  GA4: 'This is a GA4 query. Here, sessions by country are {"materials": [{"name": "allpv"}], "make": {"countries": {"from": ["allpv"], "keep": ["allpv.country_code"], "calc": {"sessions": "COUNTUNIQUE(allpv.session_id)"}}}, "result": {"use": "countries"}}, with "tracking_id" and "time": see GET guide?parts=compact.',
  Cube: 'This is a Cube query. Here, page views by day are {"materials": [{"name": "allpv"}], "make": {"days": {"from": ["allpv"], "keep": ["allpv.access_date"], "calc": {"views": "COUNT(allpv.pv_id)"}}}, "result": {"use": "days"}}, with "tracking_id" and "time": see GET guide?parts=compact.',
} as const;

/** Hints for metrics from other products. */
const METRICS = {
  metric:
    'Write it as a calc: views are "COUNT(allpv.pv_id)", visits "COUNTUNIQUE(allpv.session_id)", visitors "COUNTUNIQUE(allpv.reader_id)".',
  duration:
    'The total duration of all visits, in seconds, is "SUM(allpv.browse_sec)"; for the duration of each visit, keep "allpv.session_id" in an earlier view.',
  bounces:
    'A bounce is a first view that is also the last one: with "filter": {"pv": 1} write "100 * SUM(allpv.is_last) / COUNT(allpv.pv_id)".',
} as const;

/** Hints for calcs that QAL does not support. */
const NO_CALC = {
  ...METRICS,
  texts: 'A calc is a number: it cannot concatenate text.',
  columns:
    'A function takes one column and cannot combine several columns of a row: multiply or divide outside the call, as in "SUM(allpv.browse_sec) / 60".',
  condition:
    'An expression has no conditions: write {"of": "COUNT(allpv.pv_id)", "filter": {"device_type": "SP"}}, or use a column of 0 and 1 such as "is_goal_1".',
  window:
    'A calc only sees the rows of its group. For ranks, write "top" and "per" in "sort"; for shares and changes, join two views.',
  rounding: 'Leave it out: a calc is exact, so round the numbers in the answer.',
  nulls:
    'Leave it out: COUNT and SUM of nothing are 0, and a calc is null if a part is null or a divisor is 0.',
  percentile: 'Write "PERCENTILE(allpv.speed_msec, 95)": a column, and a percentage from 0 to 100.',
  'other calc':
    'A calc cannot name another calc of its view: repeat its expression, or read it in a later view.',
} as const;

/** Hints for unknown columns. */
const COLUMNS_INSTEAD = {
  goals: 'The defined goals are <goals:list>.',
  'no goals': 'No goals are defined.',
  parameters: 'The parameters of <material:text> are <parameters:list>.',
  'of views':
    '<column> is a column of allpv: read from it, and join <material:text> on {"left": "allpv.pv_id", "right": <key>}.',
} as const;

const SPLIT = { hint: 'Split the question into several queries.', details: { max: 'max' } } as const;

const SEND_AGAIN = {
  hint: 'Send the same request again in <retryAfterSeconds> seconds.',
  details: { retry_after_seconds: 'retryAfterSeconds' },
} as const;

const TIME_DETAILS = { field: 'key', required_fields: 'keys' } as const;

const PAIR_DETAILS = {
  side: 'side',
  received_value: 'received',
  expected_prefix: 'prefix',
  hint: 'hint',
} as const;

const refused = <const Rest extends Omit<ErrorEntry, 'status' | 'when'>>(when: string, rest: Rest) => ({
  status: 400,
  when,
  ...rest,
});

export const ERRORS = {
  // The body, the site, the materials and the time.
  invalid_version: {
    status: 404,
    when: 'The server has no contract with this `version`.',
    message: 'This server has no version <received>.',
    hint: 'Use version=latest, version=oldest or one of these: <available:list>.',
    details: { available_versions: 'available' },
  },
  E_INVALID_PARAMETER: refused('A URL parameter has an invalid value.', {
    faults: {
      parts: {
        message: 'The guide has no part <received>.',
        example: 'Its parts are <available:list>.',
        details: { available_parts: 'available' },
      },
      check: {
        message: 'The parameter check must be 1 or 0, not <received>.',
        example: 'Leave it out to run the query.',
      },
      format: {
        message: 'The parameter format must be one of <formats:list>, not <received>.',
        example: 'Leave it out for json.',
      },
      csv: {
        message:
          'The parameter csv must be "spreadsheet", with format=csv; it is <received>, with format <format>.',
        example: 'Write format=csv&csv=spreadsheet, or leave csv out.',
      },
    },
  }),
  E_INVALID_JSON: refused('The body is not JSON, is not an object, or repeats a key outside `make`.', {
    faults: {
      syntax: {
        message: 'The body is not valid JSON: line <line>, column <column>.',
        hints: {
          empty: 'The body is empty: send the query as JSON.',
          sql: 'A query is JSON here, not SQL: GET guide?parts=compact shows its form.',
        },
        example: 'Strings and keys need double quotes; comments and trailing commas are not allowed.',
        details: { line: 'line', column: 'column' },
      },
      'not-object': {
        message: 'The body must be one JSON object, not <received>.',
        hint: 'Send {"qal": {"tracking_id": ..., "materials": [...], "time": {...}, "make": {...}, "result": {...}}}.',
      },
      'repeated-key': {
        message: 'An object has the key <key> twice.',
        hint: 'JSON parsers disagree on which of the two to use: keep one of them.',
      },
      encoding: { message: '<reason:text>', hint: 'Send UTF-8 JSON with Content-Type: application/json.' },
      number: { message: 'The number is too large for JSON parsers.', hint: 'Write a number below 1e308.' },
      'reserved-key': { message: 'The key <key> cannot be used.', hint: 'Choose another name.' },
    },
  }),
  E_MISSING_FIELD: refused('A required top-level key other than `time` is missing.', {
    message: 'The query has no <key>.',
    hints: {
      tracking_id: 'Add "tracking_id": a site from the guide.',
      materials: 'Add "materials": [{"name": "allpv"}].',
      make: 'Add "make": {"top": {"from": ["allpv"], "keep": ["allpv.url"]}}.',
      result: 'Add "result": {"use": "top"}.',
    },
  }),
  E_UNKNOWN_FIELD: refused(
    'An unknown key at the top level or in a material, a view, `time`, `join` or a pair of `join.on`; other keys next to `qal`.',
    {
      message: '<key> is not a key of this object; its keys are <keys:list>.',
      hints: {
        ...TOOLS,
        'next to qal': 'Move it into "qal", or remove it.',
        ...OTHER_FORMS,
        page: 'Write "result": {"offset": ...}: the number of rows to skip.',
        'other version': 'Put the version in the address: POST /query?version=<version:text>.',
        'limit in view': 'Write "result": {"limit": ...}, or "sort": {..., "top": ...} in the view.',
        'offset in view': 'Write "result": {"offset": ...}: it skips rows of the answer, not of a view.',
        'join mode': 'Write "if not match": it is <modes:either>.',
        'one zone': 'Remove it: all views use the "tz" of the query.',
        having: 'Remove it: to filter a calc, add a view that reads from this one.',
        sql: 'A query is JSON here, not SQL: GET guide?parts=compact shows its form.',
      },
      example: 'Remove it, or use one of these keys.',
    },
  ),
  E_ALIAS_FORBIDDEN: refused('`as` in a material or a view.', {
    message: 'QAL has no "as".',
    hint: 'Remove "as": materials keep their own names, and the key of a calc is its name.',
  }),
  E_UNKNOWN_TRACKING_ID: refused('The `tracking_id` is not a site that the user may see.', {
    message: 'You have no site <received>.',
    hints: { none: 'You have no sites yet: ask the administrator.' },
    example: 'Your sites: <ids:list>.',
    details: { tracking_id: 'received', available_sites: 'available' },
  }),
  E_UNKNOWN_MATERIAL: refused(
    '`materials` is not a list of names, is empty, or has a material that the contract or the site does not have, or that is unavailable according to the guide; `from` has one that is not listed; `all` is used with a material that needs one site.',
    {
      faults: {
        shape: {
          message: '"materials" must be a list of objects with a name, not <received>.',
          example: 'Write "materials": [{"name": "allpv"}].',
        },
        unknown: {
          message: 'There is no material <received>.',
          hints: {
            goals: 'Goals of this site: <goals:list>.',
            'goals of another version':
              'Goals of this site: <goals:list>. They are materials in version <version:text>: POST /query?version=<version:text>.',
          },
          example: 'The materials are <available:list>.',
          details: { material: 'received', available_materials: 'available' },
        },
        unavailable: {
          message: 'The material <received> is not available for the site <site>.',
          hint: 'The guide shows "available": false for it because the site has no rows in <received>. Available materials: <available:list>.',
          details: { material: 'received', available_materials: 'available' },
        },
        'not-listed': {
          message: 'The material <received> is not listed in "materials".',
          hint: 'Add {"name": <received>} to "materials", which lists <available:list>.',
          details: { material: 'received', available_materials: 'available' },
        },
        'not-for-all': {
          message: 'The material <received> needs one site; it does not support "all".',
          hint: 'supports_all is false for <received>: use one tracking_id from the guide instead of "all".',
          details: { material: 'received', available_materials: 'available' },
        },
      },
    },
  ),
  E_TIME_REQUIRED: refused('`time` or one of its keys is missing or has the wrong type.', {
    faults: {
      shape: {
        message: '"time" must be an object with start, end and tz, not <received>.',
        hint: 'Write "time": {"start": "2026-05-01T00:00:00", "end": "2026-06-01T00:00:00", "tz": "Asia/Tokyo"}: start is included, end is not.',
        details: TIME_DETAILS,
      },
      view: {
        message: 'The "time" of a view must be an object with start and end, not <received>.',
        hint: 'Write "time": {"start": "2026-05-01T00:00:00", "end": "2026-06-01T00:00:00"}, in the zone of the query.',
      },
      text: {
        message: 'time.<key:text> must be text, not <received>.',
        hints: {
          start: 'In "time", write the first second to include, such as "start": "2026-05-01T00:00:00".',
          end: 'In "time", write the first second to exclude, such as "end": "2026-06-01T00:00:00".',
          tz: 'In "time", write the zone of start and end, such as "tz": "Asia/Tokyo".',
        },
        details: TIME_DETAILS,
      },
    },
  }),
  E_INVALID_TZ: refused('`time.tz` is not a full IANA time zone name.', {
    message: '<received> is not a full IANA time zone name.',
    example: 'Write a name such as "Asia/Tokyo", "Europe/Berlin" or "UTC".',
  }),
  E_INVALID_TIME_RANGE: refused(
    '`time.start` or `time.end` is not a real local date-time, or the range is empty.',
    {
      faults: {
        format: {
          message: '<received> is not a local date-time of the form YYYY-MM-DDTHH:mm:ss.',
          hints: {
            offset:
              'Times are in the zone "tz" and have no offset: write "<key:text>": <local>, and a "tz" with the offset <offset:text>.',
            utc: 'Times are in the zone "tz" and have no offset: write "<key:text>": <local> and "tz": "UTC".',
            'relative with today':
              'Relative times are not supported: write "start": <start>, "end": <end>. This includes today, which is not over.',
            relative:
              'Relative times are not supported: write "start": <start>, "end": <end>. Only complete days, weeks and months are included, so today is not.',
            end: 'The end is excluded: write "end": <after> to include all of <span>, or "end": <from> to exclude it.',
          },
          example: 'Write a real date without an offset, such as "2026-05-01T00:00:00".',
        },
        order: {
          message: 'The range is empty: its end <end:text> is not after its start <start:text>.',
          hints: {
            skipped:
              'The clocks of the zone skip <start:text>, so it is read as a later time: write a later end.',
          },
          example:
            'The end is excluded: for all of May, write "2026-05-01T00:00:00" to "2026-06-01T00:00:00".',
        },
      },
    },
  ),

  // Views and their clauses.
  E_INVALID_MAKE: refused('`make` is not an object, or is empty.', {
    message: '"make" must be an object with at least one view, not <received>.',
    hint: 'Write "make": {"top": {"from": ["allpv"], "keep": ["allpv.url"]}}.',
  }),
  E_INVALID_VIEW_NAME: refused(
    'The name of a view does not match `[a-zA-Z0-9_]+`, or is also the name of a material of the query.',
    {
      faults: {
        pattern: { message: 'The view name <key> can only contain letters, digits and "_".' },
        material: { message: 'The view name <key> is also the name of a material of the query.' },
      },
    },
  ),
  E_DUPLICATE_VIEW: refused('Two views of `make` have the same name.', {
    message: 'Two views are named <key>.',
    hint: 'Give each view its own name.',
  }),
  E_INVALID_VIEW: refused(
    'A view is not an object, has no `from` or no `keep`, has a `time` but reads from a view, or has `fill_periods` without a calc and exactly one kept period.',
    {
      faults: {
        time: {
          message: 'A view with its own "time" must read from a material, not from the view <received>.',
          hint: 'Remove it here, and write "time" in <received> if that reads from a material.',
        },
        shape: {
          message: 'A view must be an object, not <received>.',
          hint: 'Write {"from": ["allpv"], "keep": ["allpv.url"]}.',
        },
        'fill-shape': {
          message: '"fill_periods" must be the name of a kept column, not <received>.',
          hint: 'Write "fill_periods": "access_date".',
        },
        'fill-calc': {
          message: 'A view with "fill_periods" must have a calc.',
          hint: 'Add a calc, such as "calc": {"views": "COUNT(allpv.pv_id)"}: it is 0 in the added rows.',
        },
        'fill-column': {
          message: 'The values of <column> are not days, weeks, months, hours or weekdays of a time range.',
          hint: 'Name a kept column such as "access_date", "access_week" or "access_month", or, in gsc, "date", "week" or "month".',
        },
        'fill-several': {
          message: 'A view with "fill_periods" must keep only one of <columns:list>.',
          hint: 'Keep only the one to fill: most combinations, such as a day with another month, do not exist.',
        },
        from: { message: 'The view has no "from".', hint: 'Add "from": ["allpv"].' },
        keep: {
          message: 'The view has no "keep".',
          hint: 'Add "keep": ["allpv.url"], or "keep": [] and a calc for one total.',
        },
      },
    },
  ),
  E_INVALID_FROM: refused('`from` is not a list of exactly one name.', {
    message: '"from" must be a list of exactly one name, not <received>.',
    hints: { several: 'Keep one name, and read the other with "join" or in a second view.' },
    example: 'Write "from": ["allpv"].',
  }),
  E_UNKNOWN_VIEW: refused(
    '`result.use` is not the name of a view, or `from` is neither a material nor an earlier view.',
    {
      message: 'There is no view <received> that can be used here.',
      example: 'Available here: <known:list>.',
      details: { defined_views: 'defined' },
    },
  ),
  E_UNKNOWN_COLUMN: refused(
    'A column of `keep`, `filter` or `sort.by` does not exist, or is for a goal that the site does not define; `keep` is empty in a view without a calc, or has an entry that is not a qualified name.',
    {
      faults: {
        unknown: {
          message: '<material> has no column <column>.',
          hints: {
            ...INSTEAD,
            calc: '<column> is a calc of this view: filter it in a second view that reads from this one.',
            joined:
              '<bare> is a column of the joined side, but filters apply to the from side, before the join: filter <joined:text> in an earlier view, and join that view.',
            values: 'Rename it to <nearest>, and write <holds:text>.',
            filters:
              '<column> takes a list of filters: <column>: [{"url": {"prefix": "/a"}}, {"utm_source": "x"}].',
            source: 'In a filter, write columns without their source.',
            operator: 'Write operators in an object: <bare>: {<operator>: ...}.',
            ...METRICS,
            ...COLUMNS_INSTEAD,
            view: 'The view <material> has the columns <kept:list>: keep <column> there to read it here.',
          },
          example: 'The guide lists the columns of every material.',
          details: { material: 'material', column: 'column' },
        },
        goal: {
          message: 'Goal <goal:text> is not defined, so <material:text> has no column <column>.',
          hints: COLUMNS_INSTEAD,
          details: { material: 'material', column: 'column', goals: 'goals' },
        },
        'goal-differs': {
          message: 'Goal <goal:text> differs between the sites: <names:list>.',
          hint: 'Name one of the sites in "tracking_id".',
          details: { material: 'material', column: 'column', names: 'names' },
        },
        'other-source': {
          message: '<reference> does not belong to this view, which reads <sources:list>.',
          hints: { join: 'Join <material>, or remove the column.' },
          example: 'Remove the column.',
          details: { material: 'material', column: 'column' },
        },
        'not-output': {
          message: '<column> is not an output column of the view, which has <columns:list>.',
          example: 'Sort by a kept column or by the key of a calc.',
          details: { column: 'column', columns: 'columns' },
        },
        unqualified: {
          message: 'A column in "keep" is written material.column, not <received>.',
          hints: {
            ...METRICS,
            all: 'Name each column: there is no wildcard.',
          },
          example: 'Write text such as "allpv.url".',
          details: { material: 'material', column: 'received' },
        },
        empty: {
          message: '"keep" is empty, so the view would have no columns.',
          hints: { calc: 'Keep at least one column, or add a calc for one total over everything.' },
          example: 'Keep at least one column.',
          details: { material: 'material' },
        },
        'not-list': {
          message: '"keep" must be a list of columns, not <received>.',
          example: 'Write "keep": ["allpv.url"].',
          details: { material: 'material', column: 'received' },
        },
      },
    },
  ),
  E_KEEP_EXPR_FORBIDDEN: refused('An expression in `keep`.', {
    message: '"keep" takes columns only, not the expression <received>.',
    hints: { calc: 'Move it to "calc": {<name>: <expression>}.', 'time part': OTHER_FORMS['time part'] },
    example: 'Keep the column itself, such as "allpv.url".',
  }),
  E_FILTER_INVALID: refused(
    '`filter` is not an object, or has an unknown operator, an operator that does not work on the type, a value of the wrong type, or a string that the column never has.',
    {
      faults: {
        shape: {
          message: 'A filter maps columns to a value, a list or operators, not to <received>.',
          example: 'Write "filter": {"device_type": "SP", "pv": {"gte": 2}}.',
        },
        'list-value': {
          message: 'A list in a filter takes values, not <received>.',
          hint: 'A list cannot contain null; {"eq": null} finds rows without a value.',
        },
        and: {
          message: 'A filter maps columns to conditions that must all hold; it has no <key>.',
          example: 'Write the conditions side by side in "filter".',
        },
        or: {
          message: 'A filter maps columns to conditions that must all hold; it has no <key>.',
          hints: {
            off: 'To match any of several values of a column, write a list; to match either of two columns, add a view for each.',
          },
          example:
            'To match any of several values of a column, write a list; to match any of several filters, write "any": [{"url": {"prefix": "/a"}}, {"utm_source": "x"}].',
        },
        not: {
          message: 'A filter maps columns to conditions that must all hold; it has no <key>.',
          example: 'Use the opposite operator, such as {"neq": "SP"}.',
        },
        filters: {
          message: '<key> takes a list of filters, not <received>.',
          example: 'Write <key>: [{"url": {"prefix": "/a"}}, {"utm_source": "x"}].',
        },
        entry: {
          message: 'Each entry of <list> must be a filter, not <received>.',
          example: 'Write <list>: [{"url": {"prefix": "/a"}}, {"utm_source": "x"}].',
        },
        inside: {
          message: 'A filter inside <list> cannot contain <key>.',
          hints: {
            deep: '"any" and "none" may contain each other, but only <max> deep: put the inner filters in a view that reads from this one.',
          },
          example: 'Write each combination as a separate filter in the outer <list>.',
        },
        operator: {
          message: 'There is no filter operator <key>.',
          hints: {
            'any character':
              'There are no text patterns. In "like", "_" matches any character; to match "_" itself, write <column>: <meant>.',
            pattern:
              'There are no text patterns: compare with "contains", "prefix", "suffix" or a list of complete strings.',
            range:
              'Values outside a range are below it or above it: write both in "any": [{<column>: {"lt": ...}}, {<column>: {"gt": ...}}].',
          },
          example: 'The operators are <operators:list>.',
          details: { operators: 'operators' },
        },
        value: {
          message: '<key> takes one value, not <received>.',
          hints: {
            column: 'It also takes another column: {"column": "browse_sec"}.',
            'none of several': 'To match none of several strings, write a filter for each in "none".',
            'one by one': 'Exclude one string here, and the next in a view that reads from this one.',
            'any of several': 'To match any of several strings, write a filter for each in "any".',
          },
        },
        'other-type': {
          message:
            '<column> is of type <type:text> and cannot be compared with <other>, which is of type <otherType:text>.',
          hint: 'Compare numbers with numbers, text with text, dates with dates, and date-times with date-times.',
          details: { type: 'type' },
        },
        'other-ids': {
          message: '<column> and <other> are ids of different things.',
          hint: 'Compare ids of the same kind, such as page_id and prev_page_id, which are both ids of pages.',
        },
        list: {
          message: '<key> takes a list of values without null, not <received>.',
          hints: { query: 'Read them in an earlier view and join it, with "if not match": "drop".' },
        },
        range: { message: '<key> takes a list of exactly two values, both included, not <received>.' },
        'operator-for-type': {
          message: '<operator> does not work on <column>, which is of type <type:text>.',
          hint: 'Operators for type <type:text>: <operators:list>.',
          details: { type: 'type', operators: 'operators' },
        },
        'wrong-type': {
          message:
            '<received> is not a value for <column>, which is of type <type:text>: it takes <expected:text>.',
          hints: { null: 'Only eq and neq take null: {"eq": null}, {"neq": null}.' },
          details: { type: 'type', operators: 'operators' },
        },
        day: {
          message: '<received> is a whole day, but <column> has date-times.',
          hint: 'For its first second, write <first>.',
        },
        'day-of-view': {
          message: '<received> is a whole day, but <column> has date-times.',
          hint: 'For the day, filter "access_date"; for its first second, write <first>.',
        },
        'no-value': {
          message: '<column> is never <received>.',
          hint: 'Its values are <values:quoted>.',
          details: { values: 'values' },
        },
        synonym: { message: '<column> uses another word for <received>.' },
      },
    },
  ),
  E_INVALID_SORT: refused('`sort` has the wrong shape, order, top or key, or has `per` without `top`.', {
    faults: {
      shape: {
        message: '"sort" must be an object, not <received>.',
        example: 'Write "sort": {"by": "views", "order": "desc"}.',
      },
      by: {
        message: 'sort.by must be the name of an output column, not <received>.',
        example: 'Write "by" as the name of a kept column or of a calc.',
      },
      order: {
        message: 'sort.order must be "asc" or "desc", not <received>.',
        example: 'Write "order": "asc" or "order": "desc".',
      },
      top: {
        message: 'sort.top must be a whole number of at least 1, not <received>.',
        example: 'Write a whole number of at least 1, or leave "top" out to keep all rows.',
      },
      key: {
        message: '"sort" has no key <key>; its keys are <keys:list>.',
        example: 'Write "sort": {"by": "views", "order": "desc"}.',
      },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
      then: {
        message: 'sort.then must be a list of further keys, not <received>.',
        example: 'Write "then": [{"by": "url", "order": "asc"}].',
      },
      'then-key': {
        message: 'An object in "then" has no key <key>; its keys are <keys:list>.',
        example: 'Write {"by": "url", "order": "asc"}; "top" and "per" go next to "then".',
      },
      per: {
        message: 'sort.per must be a list of output columns, not <received>.',
        example: 'Write "per": ["country_code"].',
      },
      'per-alone': {
        message: 'sort.per needs "top", which is missing.',
        hint: 'Add "top", the number of rows for each value, or sort by these columns first.',
      },
    },
  }),
  E_INVALID_JOIN: refused(
    'Any error in `join`: its shape, a `with` that is not listed or not defined earlier, a side other than `from` or `with`, a key that the material does not declare, or two columns with the same name.',
    {
      faults: {
        shape: {
          message: '"join" must be an object with "with" and "on", not <received>.',
          example:
            'Write "join": {"with": "click_event", "on": [{"left": "allpv.pv_id", "right": "click_event.pv_id"}]}.',
        },
        several: {
          message: 'A view joins one material or view, not a list.',
          example: 'Join the first here, and the next in a view that reads from this one.',
        },
        mode: {
          message: '"if not match" is <modes:either>, not <received>.',
          example: 'Leave it out to keep rows without a match.',
        },
        'with-shape': {
          message: '"with" must be the name of a material or of an earlier view, not <received>.',
          example: 'Write "with": "click_event".',
        },
        on: {
          message: '"on" must be a list of pairs, not <received>.',
          example: 'Write "on": [{"left": "allpv.pv_id", "right": "click_event.pv_id"}].',
        },
        reference: {
          message: 'A side of a pair is written material.column, not <received>.',
          example: 'Write {"left": "allpv.pv_id", "right": "click_event.pv_id"}.',
        },
        'fill-shape': {
          message: '"fill" must be one value, not <received>.',
          example: 'Write "fill": 0, or leave it out for null.',
        },
        nulls: {
          message: '"nulls" must be "match", not <received>.',
          example: 'Write "nulls": "match" to join null with null, or leave it out.',
        },
        'nulls-views': {
          message: 'Null matches null only in a join of two views, but <name> is not a view.',
          hint: 'Keep its columns in an earlier view, and use that view in its place.',
        },
        with: {
          message: '<received> is neither a material of the query nor an earlier view.',
          hints: { unlisted: 'Add {"name": <received>} to "materials".' },
          example: '"with" can be <sources:list>.',
          details: { received_value: 'received', sources: 'sources' },
        },
        itself: {
          message: '<received> is joined with itself, so its columns would be ambiguous.',
          hint: 'Add an earlier view of <received> and join with that view.',
        },
        'left-prefix': {
          message: 'on.left must be a column of <prefix>, which the view reads from, not <received>.',
          hint: 'Write <right>.',
          details: PAIR_DETAILS,
        },
        'right-prefix': {
          message: 'on.right must be a column of <prefix>, which is joined, not <received>.',
          hint: 'Write <right>.',
          details: PAIR_DETAILS,
        },
        key: {
          message: '<received> is not a key for a join.',
          hints: {
            none: '<prefix> has no key in common with the other side.',
            own: 'The keys of <prefix> are <keys:list>; to join on another column, keep it in a view, and read from that view.',
          },
          example: 'Keys of both sides: <keys:list>.',
          details: PAIR_DETAILS,
        },
        'not-kept': {
          message: 'The view <view> does not keep <column>, so it cannot be joined on that column.',
          hint: 'Add <column> to "keep" of <view>.',
          details: PAIR_DETAILS,
        },
        'not-output': {
          message: 'The view <view> has no column <column>.',
          example: 'Its columns are <columns:list>.',
          details: PAIR_DETAILS,
        },
        decimal: {
          message: '<received> is a decimal number, so it cannot be a join key.',
          hint: 'Join on a column of another type.',
          details: PAIR_DETAILS,
        },
        types: {
          message: '<received> is of type <type:text>, but <other> is of type <otherType:text>.',
          hint: 'Pair columns of the same type.',
          details: PAIR_DETAILS,
        },
        ids: {
          message: '<received> and <other> are ids of different things.',
          hint: 'Pair ids of the same kind, such as page_id and prev_page_id, which are both ids of pages.',
          details: PAIR_DETAILS,
        },
        unequal: {
          message: 'A pair joins the same key of both sides, but <received> is paired with <other>.',
          hint: 'Write <right>.',
          details: PAIR_DETAILS,
        },
        'merged-key': {
          message:
            'A join that keeps both sides returns its key only once, as <left>, which includes <received>.',
          hint: 'Write <left>.',
        },
        'paired-twice': {
          message:
            '<received> is in several pairs, so a row that only the other side has would have several keys.',
          hint: 'Pair each column of the from side once, or use "keep-left" or "drop".',
        },
        collision: {
          message: '<entries:quoted> would both be the output column <name>.',
          hint: 'Keep one of them; a calc can return the other under another name.',
        },
        ambiguous: {
          message: '<received> could be a column of either side.',
          hint: 'Write <reference> for the from side; for the other, add an earlier view of <joined:text> and join that view.',
        },
        fill: {
          message: 'fill is <received>, but <column> is of type <type:text> and takes <expected:text>.',
          hint: 'Leave "fill" out, or keep only columns that it fits.',
        },
      },
    },
  ),
  E_CALC_INVALID_EXPRESSION: refused(
    'A calc is not made of `FUNC(material.column)`, numbers and `+ - * /`, its name is not allowed or is already a kept column, or its function does not work on the type.',
    {
      faults: {
        shape: {
          message: '"calc" must map names to expressions, not <received>.',
          example: 'Write "calc": {"views": "COUNT(allpv.pv_id)"}.',
        },
        empty: {
          message: '"calc" is empty.',
          hint: 'Leave "calc" out for plain rows, or add a calculation: {"views": "COUNT(allpv.pv_id)"}.',
        },
        expression: {
          message: 'A calc is written FUNC(material.column), not <received>.',
          hints: {
            ...NO_CALC,
            'count a calc':
              'COUNT skips rows in which its column is null: add a COUNT to the calc of <view>, and count that.',
            'count a column':
              'COUNT skips rows in which its column is null: keep <column> in <view>, and count that.',
          },
          example: 'Write one function of one column, such as "views": "COUNT(allpv.pv_id)".',
        },
        arithmetic: {
          message: 'The calc cannot be parsed from <rest> onward.',
          hints: NO_CALC,
          example:
            'Write calls and numbers with + - * / and parentheses, such as "COUNT(allpv.pv_id) / COUNTUNIQUE(allpv.session_id)".',
        },
        number: {
          message:
            'The number <number:text> is too long: at most nine digits before the decimal point and six after it are allowed.',
          hint: 'Round it, or split it into a product such as 1000000 * 1000000.',
        },
        unfinished: {
          message: 'The calc <received> is incomplete: a parenthesis, a call or a number is missing.',
          example: 'Write both sides of each + - * /, and close each parenthesis.',
        },
        'no-call': {
          message: 'A calc must call a function, but <received> does not.',
          example: 'Write at least one call, such as "COUNT(allpv.pv_id)".',
        },
        'no-number': {
          message: '<function:text>(<reference:text>) is of type <type:text>; arithmetic needs numbers.',
          hints: {
            duration:
              'A date-time can only be subtracted from another one, which returns seconds: "MAX(allpv.access_time) - MIN(allpv.access_time)".',
            dates: 'Arithmetic does not work with dates: return each date as a separate calc.',
          },
          details: { type: 'type' },
        },
        percentage: {
          message:
            'PERCENTILE takes a column and a percentage from 0 to 100 with at most four decimals, not <received>.',
          example: 'Write "PERCENTILE(<reference:text>, 95)".',
        },
        'no-of': {
          message: 'A calc with a filter has its expression in "of", not <received>.',
          example: 'Write {"of": "COUNT(allpv.pv_id)", "filter": {"device_type": "SP"}}.',
        },
        'no-filter': { message: 'A calc with "of" also needs a "filter", which is missing.' },
        'filter-sources': {
          message: 'A calc with a filter reads one source, not both <sources:list>.',
          hint: 'Its filter is on the columns of that source: write a calc for each, and combine them in a view that reads from this one.',
        },
        name: { message: 'The calc name <key> can only contain letters, digits and "_".' },
        'name-kept': { message: 'The calc <key> has the same name as a kept column.' },
        type: {
          message: '<function:text> does not work on <column>, which is of type <type:text>.',
          hint: '<function:text> takes columns of type <types:list>; COUNT and COUNTUNIQUE take any.',
          details: { type: 'type', types: 'types' },
        },
        'too-large': {
          message:
            'A result is too large: JSON parsers read whole numbers up to 2^53, and other numbers up to 1e308.',
          hint: 'Sum something smaller than ids, or ask for a shorter time range.',
        },
      },
    },
  ),
  E_CALC_INVALID_FUNCTION: refused('An unknown function in a calc.', {
    message: 'There is no function <function>.',
    hints: NO_CALC,
    example: 'The functions are <functions:list>.',
    details: { functions: 'functions' },
  }),
  E_CALC_COLUMN_UNRESOLVED: refused(
    'A calc has a source that the view does not read, or a column that its source does not have.',
    {
      message: '<reference> cannot be found: this view reads <sources:list>.',
      hints: {
        ...INSTEAD,
        join: 'Join <source>, or remove the calc.',
        ...METRICS,
        ...COLUMNS_INSTEAD,
        'other calc': NO_CALC['other calc'],
        view: 'The view <material> has the columns <kept:list>.',
      },
      example: 'The guide lists the columns of every material.',
      details: { reference: 'reference', sources: 'sources' },
    },
  ),
  E_ADD_NOT_SUBSET_OF_CALC: refused('`add` has a name that is not a key of calc.', {
    faults: {
      shape: {
        message: '"add" must be a list of names, not <received>.',
        hint: 'Leave "add" out, or write <calc>.',
      },
      unknown: {
        message: '"add" has <missing:quoted>, which calc does not define.',
        hint: 'Leave "add" out, or write <calc>.',
      },
    },
  }),
  E_CALC_NOT_SUBSET_OF_ADD: refused('calc defines a key that is not in `add`.', {
    message: 'calc defines <missing:quoted>, which is not in "add".',
    hint: 'Leave "add" out, or write <calc>.',
  }),

  // The result, features and sizes.
  E_INVALID_RESULT: refused('`result` is not an object, or one of its values is invalid.', {
    faults: {
      shape: {
        message: '"result" must be an object, not <received>.',
        example: 'Write "result": {"use": "top"}.',
      },
      use: {
        message: 'result.use must be the name of a view, not <received>.',
        example: 'Write "use": "top", the name of a view.',
      },
      offset: {
        message: 'result.offset must be a whole number of at least 0, not <received>.',
        example: 'Write "offset": 1000 to skip the first 1000 rows.',
      },
      data_version: {
        message: 'result.data_version must be the data version of an earlier answer, not <received>.',
        example: 'Copy meta.data_version of the first page.',
      },
      envelope: {
        message: 'The parameter envelope must be result or data, not <received>.',
        example: 'Leave it out for result.',
      },
    },
  }),
  E_RESULT_FORBIDDEN_KEY: refused('A key that `result` does not have.', {
    message: '"result" has no key <key>; its keys are <keys:list>.',
    hints: {
      sort: 'Sort in the view: "sort": {"by": "views", "order": "desc"}.',
      skip: 'Rows cannot be skipped: remove it, and request more rows with "limit" or fewer with a filter.',
      ...OTHER_FORMS,
      page: 'Write "offset": the number of rows to skip.',
    },
  }),
  E_DATA_CHANGED: {
    status: 409,
    when: 'The data has changed since the page whose `result.data_version` is in the query.',
    message: 'The data has changed since the page with the data version <received>.',
    hint: 'Start again with the first page: "offset": 0 without "data_version".',
    details: { data_version: 'current' },
  },
  E_INVALID_LIMIT: refused('`result.limit` is not a whole number in range.', {
    message: 'result.limit must be a whole number from 1 to <max>, not <received>.',
    hints: { max: 'Write "limit": <max>.' },
    example: 'Write "limit": 1000.',
  }),
  E_INVALID_COUNT_ONLY: refused('`result.count_only` is not true or false.', {
    message: 'result.count_only must be true or false, not <received>.',
    example: 'Write "count_only": true, or leave it out.',
  }),
  E_FEATURE_NOT_SUPPORTED: refused('The contract does not have the feature.', {
    message: 'Version <version:text> does not support <feature>.',
    hints: { none: 'No version supports it: remove it.' },
    example: 'It is available in version <availableIn:text>: POST /query?version=<availableIn:text>.',
    details: { feature: 'feature', version: 'version', available_in: 'availableIn' },
  }),
  E_FEATURE_DISABLED: refused('The feature is switched off on this server.', {
    message: 'The feature <feature> is off on this server.',
    hint: 'features_detail in the guide lists the features that are on.',
    details: { feature: 'feature' },
  }),
  E_QUERY_TOO_LARGE: refused(
    'The query exceeds a limit on views, columns in a view, values in a list or in the whole query, materials joined through views, levels of nesting, parts of a calc, filled periods, temporary disk space, bytes of a JSON answer, or errors that a check lists.',
    {
      faults: {
        views: { message: 'The query has <count> views; at most <max> are allowed.', ...SPLIT },
        columns: { message: 'The view has <count> columns; at most <max> are allowed.', ...SPLIT },
        values: { message: 'The list has <count> values; at most <max> are allowed.', ...SPLIT },
        bindings: {
          message:
            'The view has <count> values, including those of all views that it reads; at most <max> are allowed.',
          ...SPLIT,
        },
        reads: {
          message:
            'The view reads materials <count> times, counting all views that it joins; at most <max> are allowed.',
          ...SPLIT,
        },
        calc: {
          message: 'The calc has <count> <what:text>; at most <max> are allowed.',
          hint: 'Calculate a part of it in an earlier view.',
          details: { max: 'max' },
        },
        levels: { message: 'The body is nested <count> levels deep; at most <max> are allowed.', ...SPLIT },
        members: {
          message: 'The body has <count> keys, objects and lists; at most <max> are allowed.',
          ...SPLIT,
        },
        faults: {
          message: 'The query has more than <max> errors; only the first ones are listed.',
          hint: 'Fix these, and check it again.',
          details: { max: 'max' },
        },
        answer: {
          message: 'The answer has more than <max> bytes, the limit for JSON.',
          hint: 'Ask for fewer rows or columns, or send the same query with ?format=csv, ndjson or parquet, which have no such limit.',
          details: { max_answer_bytes: 'max' },
        },
        cells: {
          message:
            'The view has <count> combinations of kept values and periods to fill; at most <max> are allowed.',
          hint: 'Keep fewer columns, or ask for a shorter time range or for longer periods.',
          details: { max: 'max' },
        },
        disk: {
          message: 'The view needs more temporary disk space than the server allows for one query.',
          hint: 'Ask for a shorter time range, keep fewer columns, or join on a key that matches fewer rows.',
        },
      },
    },
  ),

  // Errors that are not in the query.
  E_UNAUTHORIZED: {
    status: 401,
    when: 'Credentials are missing or wrong.',
    message: '<reason:text>',
    hint: 'Send Authorization: Basic base64(user:application password). Application passwords are created on the profile page; the login password is not accepted.',
    hints: {
      link: 'Ask the person who shared the link for a new one.',
      session: 'Log in, then open the page again.',
    },
  },
  E_RATE_LIMITED: {
    status: 429,
    when: 'More requests than the user may send in a minute or an hour, or more failed logins than are allowed from one address.',
    message: 'More than <limit> <counted:text> in <windowSeconds> seconds.',
    hint: 'Try again in <retryAfterSeconds> seconds.',
    details: { limit: 'limit', window_seconds: 'windowSeconds', retry_after_seconds: 'retryAfterSeconds' },
  },
  E_BODY_TOO_LARGE: {
    status: 413,
    when: 'The body is larger than the server accepts.',
    message: 'The body is larger than <limitBytes> bytes.',
    hint: 'Split the question into several queries.',
    details: { limit_bytes: 'limitBytes' },
  },
  E_TIMEOUT: {
    status: 504,
    when: 'The query took longer than the server allows.',
    message: 'The query took longer than <seconds> seconds and was stopped.',
    hint: 'Ask for a shorter time range, or keep fewer columns.',
    details: { timeout_seconds: 'seconds' },
  },
  E_UNAVAILABLE: {
    status: 503,
    when: 'The database does not respond, too many queries are waiting, or the server is overloaded. The query is not the cause: send it again after `Retry-After`.',
    faults: {
      database: { message: 'The database is not responding; the request is not the cause.', ...SEND_AGAIN },
      worker: {
        message:
          'A machine with data for this request is not responding; sites on other machines are not affected.',
        ...SEND_AGAIN,
      },
      busy: { message: 'The query was not run: too many others are running or waiting.', ...SEND_AGAIN },
      overloaded: { message: 'The query was not run: the server is overloaded.', ...SEND_AGAIN },
    },
  },
  E_EXECUTOR_FAILED: {
    status: 500,
    when: 'An internal server error.',
    message: 'The server failed to run this query; the error is logged with the request id <requestId:text>.',
    details: { request_id: 'requestId' },
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof ERRORS;
