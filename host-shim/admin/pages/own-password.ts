import { findLogin } from '../../accounts/accounts';
import { createLoginGuard, guarded } from '../../auth/login-guard';
import { checkLoginPassword } from '../../auth/login-password';
import type { HostUser } from '../../extension-api';
import type { CountTools } from '../../rate-limit/window-counts';

/** Limits password guesses by someone at an unattended browser. */
const GUESSES = { failures: 5, windowSeconds: 300 };

/** Returns a function that checks a user's own login password, and returns an error message if it is wrong. */
export function createOwnPasswordCheck(tools: CountTools) {
  const guard = createLoginGuard('own password', GUESSES, tools);

  async function isOwnPassword({ login, id }: HostUser, typed: string): Promise<boolean> {
    const account = await findLogin(tools.write, login);
    return account?.userId === id && checkLoginPassword(typed, account.passwordHash);
  }

  return (user: HostUser, typed: string): Promise<string | undefined> =>
    guarded(guard, String(user.id), {
      work: async () => ((await isOwnPassword(user, typed)) ? undefined : 'That is not your login password.'),
      isFailure: (fault) => fault !== undefined,
      lockedOut: (seconds) => `Too many wrong passwords; try again in ${seconds} s.`,
    });
}
