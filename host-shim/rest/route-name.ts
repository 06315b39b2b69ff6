// The route of a request, for those who watch: a pattern of ours, since callers can make up any number of addresses.
import type { Response } from 'express';

const names = new WeakMap<Response, string>();

/** Called by the code that answers; the last name counts. */
export function nameRoute(response: Response, route: string): void {
  names.set(response, route);
}

export const routeOf = (response: Response): string => names.get(response) ?? 'none';
