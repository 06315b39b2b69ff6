// Random keys that the installation signs with, made when they are first needed and kept in the database,
// so that a restart, or a second process, knows the same.
import type { Knex } from 'knex';
import type { RandomBytes } from '../auth/application-password';

const BYTES = 32;

/** The secret of this name, in base64url. */
export async function installationSecret(
  write: Knex,
  name: string,
  randomBytes: RandomBytes,
): Promise<string> {
  const secrets = () => write.withSchema('host').from('secret');
  const value = Buffer.from(randomBytes(BYTES)).toString('base64url');
  await secrets().insert({ name, value }).onConflict('name').ignore();
  const [kept] = await secrets().where('name', name).pluck<string[]>('value');
  if (kept === undefined) throw new Error(`The secret ${name} of this installation is gone.`);
  return kept;
}
