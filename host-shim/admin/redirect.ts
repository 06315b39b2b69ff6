// Where an answer of the pages may send a browser: to a path of this host, or, if the page says so, elsewhere.
// An answer that leads on has no body and is kept nowhere, for its address may hold a secret.
import type { Response } from 'express';
import { PRIVATE } from '../rest/rest-handler';

/** A path of this host, as browsers read it: `//example.org` and `/\example.org` are other hosts. */
export const isLocalPath = (to: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(to);

/** Sends the browser on. `to` is a path of this host, or with `elsewhere` any address. */
export function sendRedirect(response: Response, to: string, elsewhere = false): void {
  if (!elsewhere && !isLocalPath(to)) throw new Error('A page wanted to lead to another host.');
  response.setHeader('Cache-Control', PRIVATE);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.location(to).status(303).end();
}
