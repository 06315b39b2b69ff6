// What happens once in the life of an installation: a first account, made when there is none at all.
// The secrets are returned to be printed; only their hashes are kept.
import type { Knex } from 'knex';
import type { RandomBytes } from './auth/application-password';
import { showSecret } from './auth/application-password';
import { createApplicationPassword } from './auth/application-password-store';
import { makeLoginPassword } from './auth/login-password';
import { createUser, hasUsers } from './auth/users';
import type { Clock } from './extension-api';

export interface FirstAccount {
  readonly login: string;
  readonly loginPassword: string;
  /** In groups of four, as a person is shown it. */
  readonly applicationPassword: string;
}

/** Creates the administrator with an application password; undefined when any account exists. */
export async function createFirstAccount(
  write: Knex,
  tools: { clock: Clock; randomBytes: RandomBytes },
): Promise<FirstAccount | undefined> {
  if (await hasUsers(write)) return undefined;
  const login = 'admin';
  const loginPassword = makeLoginPassword(tools.randomBytes);
  const userId = await createUser(
    write,
    { login, role: 'administrator', password: loginPassword, sites: [] },
    tools,
  );
  const { secret } = await createApplicationPassword(write, { userId, name: 'first steps' }, tools);
  return { login, loginPassword, applicationPassword: showSecret(secret) };
}
