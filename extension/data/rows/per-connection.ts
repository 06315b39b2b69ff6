import type { ClientBase } from 'pg';

/** Makes a function look up its result only once for each connection. A lookup that fails is repeated. */
export function perConnection<Connection extends ClientBase, Result>(
  find: (client: Connection) => Result,
): (client: Connection) => Result {
  const found = new WeakMap<Connection, Result>();
  return (client) => {
    const known = found.get(client);
    if (known !== undefined) return known;
    const result = find(client);
    found.set(client, result);
    if (result instanceof Promise) result.catch(() => found.delete(client));
    return result;
  };
}
