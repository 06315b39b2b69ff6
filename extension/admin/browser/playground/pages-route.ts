// Owns the address of the routes that serve the pages alone: namespace of the query service, route, arguments -> route.
export const pagesRoute = (
  namespace: string,
  route: 'catalogue' | 'explain' | 'query-record',
  args: Readonly<Record<string, string>>,
): string => `${namespace}-pages/${route}?${new URLSearchParams(args)}`;
