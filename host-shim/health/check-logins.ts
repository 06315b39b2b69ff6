import type { Knex } from 'knex';
import { ADDRESS_GUARDS, LOGIN_GUARD } from '../auth/login-guard';
import { type Clock, countOf, type Finding } from '../extension-api';
import { PAGE_LOGIN_GUARD } from '../sessions/log-in';

interface LoginOptions {
  readonly write: Knex;
  readonly clock: Clock;
}

/** Typos and forgotten scripts cause fewer failures than this, even from many addresses. */
const MIN_SUSPICIOUS = LOGIN_GUARD.failures;
const MAX_SHOWN = 3;

/** Detects password guessing from the counts of the login guards. */
export async function checkLogins({ write, clock }: LoginOptions): Promise<Finding> {
  const { rows } = await write.raw<{ rows: { address: string; refused: number }[] }>(
    `SELECT substring(name FROM '[^ ]+$') AS address, sum(count)::integer AS refused FROM host.window_count
      WHERE ends_at > ? AND regexp_replace(name, ' [^ ]+$', '') = ANY(?) GROUP BY 1 ORDER BY 2 DESC, 1`,
    [clock(), Object.values(ADDRESS_GUARDS)],
  );
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  const brief =
    refused === 0 ? 'none refused in the last few minutes' : `${refused} refused in the last few minutes`;
  if (refused < MIN_SUSPICIOUS) return { state: 'fine', brief };
  const shown = rows.slice(0, MAX_SHOWN).map((row) => `${row.address} (${row.refused})`);
  const more = rows.length > MAX_SHOWN ? ` and ${countOf(rows.length - MAX_SHOWN, 'more', 'more')}` : '';
  return {
    state: 'warning',
    brief,
    about: `Wrong passwords came from ${shown.join(', ')}${more}. An address is locked out for a few minutes after ${PAGE_LOGIN_GUARD.failures} wrong passwords on the pages, or ${LOGIN_GUARD.failures} wrong application passwords.`,
    remedy: {
      text: 'Unless this is a forgotten script of yours, block these addresses in front of this server.',
    },
  };
}
