// The rows of attacks.yaml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const texts = z.record(z.string(), z.string());

const KEYS = ['ann', 'bob', 'narrow', 'ended', 'addresses', 'importer', 'login'] as const;
const PEOPLE = ["ann's session", "ann's cookie", "bob's session", "bob's cookie"] as const;
const ATTACKERS = ['nobody', ...KEYS, ...PEOPLE] as const;

const attackSchema = z.strictObject({
  area: z.string(),
  attack: z.string(),
  happens: z.string(),
  as: z.enum(ATTACKERS),
  /** Method and address; {names} stand for ids. */
  send: z.string().regex(/^[A-Z]+ \/\S*( \S+)*$/),
  headers: texts.default({}),
  /** A text is sent as it is; "REPEAT x 9" is x nine times. */
  json: z.json().optional(),
  form: texts.optional(),
  text: z.string().optional(),
  status: z.int(),
  has: z.array(z.string()).default([]),
  lacks: z.array(z.string()).default([]),
});
export type Attack = z.output<typeof attackSchema>;
export type Attacker = Attack['as'];

export const ATTACKS: readonly Attack[] = z
  .array(attackSchema)
  .parse(load(readFileSync(join(__dirname, 'attacks.yaml'), 'utf8')));
