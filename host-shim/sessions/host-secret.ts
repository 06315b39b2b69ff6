import type { Knex } from 'knex';
import type { RandomBytes } from '../auth/application-password';

/** Returns a signing key. It is stored, so that every process uses the same one. */
export async function readHostSecret(write: Knex, name: string, randomBytes: RandomBytes): Promise<string> {
  const secrets = () => write.withSchema('host').from('secret');
  const value = Buffer.from(randomBytes(32)).toString('base64url');
  await secrets().insert({ name, value }).onConflict('name').ignore();
  const [stored] = await secrets().where('name', name).pluck<string[]>('value');
  if (stored === undefined) throw new Error(`The secret "${name}" is missing.`);
  return stored;
}
