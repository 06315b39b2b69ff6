// Owns the SQL of values that follow from the stored fields of a row alone. What has an operator stands in brackets.
// Numbers are computed exactly, as whole numbers or decimals, and become doubles last.
import type { ComputedValue } from '../types/resolved-query';
import { bind, type Sql, sql } from './block';

/** The SQL of a value; `column` gives that of the columns it reads. */
export function computedSql(value: ComputedValue, column: (name: string) => Sql): Sql {
  switch (value.kind) {
    case 'constant':
      return bind(value.value, 'int');
    case 'has-value':
      return sql('({} is not null)::int', column(value.column));
    case 'shifted':
      return sql('({} + {})', column(value.column), bind(value.by, 'int'));
    case 'product': {
      const product = sql(value.columns.map(() => '{}::bigint').join(' * '), ...value.columns.map(column));
      return value.per === 1
        ? sql('({})', product)
        : sql('(({})::float8 / {})', product, bind(value.per, 'float8'));
    }
    case 'rounded-ratio':
      return sql(
        'coalesce(round({}::numeric / nullif({}::numeric * {}, 0), {}), 0)::float8',
        column(value.dividend),
        column(value.divisor),
        bind(value.per, 'numeric'),
        bind(value.digits, 'int'),
      );
    case 'word':
      return sql('({})[{} + 1]', bind(value.words, 'text[]'), column(value.column));
    case 'letters-number':
      return sql('(ascii({}) * 256 + ascii(substr({}, 2, 1)))', column(value.column), column(value.column));
    case 'json-text':
      return sql('{}::text', column(value.column));
    case 'parameter':
      return parameter(column(value.column), value.name, value.type);
  }
}

/** A parameter that was a number so far may be something else in a row of this very moment: no cast may fail. */
function parameter(params: Sql, name: string, type: 'number' | 'string'): Sql {
  const text = sql('({} ->> {})', params, bind(name, 'text'));
  if (type === 'string') return text;
  const isNumber = sql("jsonb_typeof({} -> {}) = 'number'", params, bind(name, 'text'));
  return sql('case when {} then {}::float8 end', isNumber, text);
}
