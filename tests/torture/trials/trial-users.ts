import { basicHeader } from '../../support/test-host';
import type { Installation } from '../installation';

/** Creates administrators, each with an application password, and returns their `Authorization` headers by login. */
export async function makeUsers(
  installation: Installation,
  logins: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for (const login of logins) {
    const added = await installation.run(
      ['users', 'add', login, '--role', 'administrator', '--password-stdin'],
      {},
      'a long login password\n',
    );
    const created = await installation.run(['passwords', 'create', login, '--name', 'trial']);
    if (added.code !== 0 || created.code !== 0) throw new Error(`${added.err}${created.err}`);
    keys.set(login, basicHeader({ login, secret: created.out.trim() }));
  }
  return keys;
}
