// A request's route in metrics and traces. It is a pattern, not the address, because clients can invent any number of addresses.
import type { Response } from 'express';

const names = new WeakMap<Response, string>();

/** If called again, replaces the name. */
export function nameRoute(response: Response, route: string): void {
  names.set(response, route);
}

export const routeOf = (response: Response): string => names.get(response) ?? 'none';
