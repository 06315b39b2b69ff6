/** Binds a value, and returns its placeholder in the statement. */
export type Bind = (value: unknown) => string;

/** Collects a statement's values: the given ones, as `$1` and so on, and those that `bind` adds. */
export function bindings(...given: unknown[]): { readonly bind: Bind; readonly values: unknown[] } {
  const values = [...given];
  return { values, bind: (value) => `$${values.push(value)}` };
}
