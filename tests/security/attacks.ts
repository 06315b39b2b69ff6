import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const texts = z.record(z.string(), z.string());

const KEYS = ['ann', 'bob', 'narrow', 'ended', 'addresses', 'importer', 'login', 'share'] as const;
const WITHOUT_ACCESS = ['revoked', 'disabled', 'stripped'] as const;
const LINKS = ['link', 'ended link', 'revoked link'] as const;
const BROWSER_SESSIONS = ["ann's session", "ann's cookie", "bob's session", "bob's cookie"] as const;
const ATTACKERS = ['nobody', ...KEYS, ...WITHOUT_ACCESS, ...LINKS, ...BROWSER_SESSIONS] as const;

const description = { area: z.string(), attack: z.string(), happens: z.string() };
const request = {
  as: z.enum(ATTACKERS),
  /** The method and the URL. Each {name} is replaced by an id. */
  send: z.string().regex(/^[A-Z]+ \/\S*( \S+)*$/),
  headers: texts.default({}),
  /**
   * A string is sent unchanged, except that "REPEAT x 9" becomes x nine times, and "KEYS 2 9" becomes an object with the nine
   * keys 0, 2, ..., 16.
   */
  json: z.json().optional(),
  form: texts.optional(),
  text: z.string().optional(),
};
const requestSchema = z.strictObject(request);
const attackSchema = z.strictObject({
  ...description,
  ...request,
  /** A request that is sent `times` times before the attack. {n} is replaced by 1, 2, and so on. */
  before: z.strictObject({ ...request, times: z.int() }).optional(),
  status: z.int(),
  has: z.array(z.string()).default([]),
  lacks: z.array(z.string()).default([]),
});
/** An attack that takes several requests. `shown` is the NAME in the comment `attack: NAME` above a test. */
const shownSchema = z.strictObject({ ...description, shown: z.string() });

export type AttackRequest = z.output<typeof requestSchema>;
export type Attacker = AttackRequest['as'];
export type Attack = z.output<typeof attackSchema> | z.output<typeof shownSchema>;

export const ATTACKS: readonly Attack[] = z
  .array(z.union([attackSchema, shownSchema]))
  .parse(load(readFileSync(join(__dirname, 'attacks.yaml'), 'utf8')));
