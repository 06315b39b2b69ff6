// Reads the code of a system's or the database's error without asking for its class, which differs between realms.

/** The `code` of an error, such as ENOENT or 57P03. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
