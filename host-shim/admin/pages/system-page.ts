// This page shows no secrets.
import type { Knex } from 'knex';
import { LOGIN_GUARD, type LoginGuardOptions } from '../../auth/login-guard';
import {
  type AdminPage,
  type Clock,
  formatBytes,
  formatCount,
  type HostUser,
  type NamespaceDefinition,
  programVersion,
  type RouteDefinition,
} from '../../extension-api';
import type { Extensions } from '../../extensions/extensions';
import { BODY_LIMIT_BYTES } from '../../rest/read-body';
import type { Config } from '../../server/config';
import { ACCOUNT_LOGIN_GUARD, PAGE_LOGIN_GUARD } from '../../sessions/log-in';
import { formatInstant } from '../format-instant';

type Line = readonly [title: string, text: string];

interface DatabaseState {
  readonly version: string;
  readonly name: string;
  readonly bytes: number;
  /** The time on the database's clock. */
  readonly now: Date;
  readonly migrations: readonly string[];
  readonly openSessions: number;
  readonly peopleInSessions: number;
}

const STATE = `
SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
  current_database() AS name,
  pg_database_size(current_database()) AS bytes,
  clock_timestamp() AS now,
  ARRAY(SELECT schema || '/' || name FROM migrations.applied_file ORDER BY applied_at) AS migrations,
  (SELECT count(*)::integer FROM host.session WHERE expires_at > ?) AS "openSessions",
  (SELECT count(DISTINCT user_id)::integer FROM host.session WHERE expires_at > ?) AS "peopleInSessions"`;

/** Counts the sessions that are open at `now`. */
async function readDatabaseState(write: Knex, now: Date): Promise<DatabaseState> {
  const { rows } = await write.raw<{ rows: DatabaseState[] }>(STATE, [now, now]);
  const [state] = rows;
  if (state === undefined) throw new Error('The database reported no state.');
  return state;
}

export function clockDifference(server: Date, database: Date): string {
  const seconds = (database.getTime() - server.getTime()) / 1000;
  if (Math.abs(seconds) < 2) return 'no difference';
  return `${Math.abs(seconds).toFixed(0)} s ${seconds > 0 ? 'ahead of' : 'behind'} this program`;
}

function installation(config: Config, state: DatabaseState, now: Date, user: HostUser): readonly Line[] {
  const place =
    config.databaseUrl === undefined
      ? `embedded, in ${config.dataDir}`
      : `from DATABASE_URL, database ${state.name}`;
  return [
    ['Program', programVersion()],
    ['Node.js', process.versions.node],
    ['PostgreSQL', `${state.version}, ${place}; ${formatBytes(state.bytes)}`],
    ['Server time', formatInstant(now, user.timezone)],
    ['Database time', `${formatInstant(state.now, user.timezone)} (${clockDifference(now, state.now)})`],
    ['Migrations', `${state.migrations.length}, the last is ${state.migrations.at(-1) ?? 'none'}`],
    ['Environment', config.environment],
    [
      'Sessions',
      `${formatCount(state.openSessions)}, used by ${formatCount(state.peopleInSessions)} ${state.peopleInSessions === 1 ? 'person' : 'people'}`,
    ],
  ];
}

const guardOf = ({ failures, windowSeconds }: LoginGuardOptions): string =>
  failures === 0 ? 'no limit' : `${failures} per address in ${windowSeconds / 60} minutes`;

const rateOf = (calls: number, window: string): string =>
  calls === 0 ? 'no limit' : `${formatCount(calls)} per user per ${window}`;

const limits = (config: Config): readonly Line[] => [
  ['Calls per hour', rateOf(config.ratePerHour, 'hour')],
  ['Calls per minute', rateOf(config.ratePerMinute, 'minute')],
  ['MCP messages per hour', rateOf(config.readingRatePerHour, 'hour')],
  ['MCP messages per minute', rateOf(config.readingRatePerMinute, 'minute')],
  ['Calls from the pages', rateOf(config.pagesRatePerMinute, 'minute')],
  ['Request body', `${formatCount(BODY_LIMIT_BYTES / 1024)} KiB`],
  ['Wrong application passwords', guardOf(LOGIN_GUARD)],
  ['Wrong login passwords', guardOf(PAGE_LOGIN_GUARD)],
  [
    'Wrong login passwords for one account',
    `${ACCOUNT_LOGIN_GUARD.failures} from all addresses in ${ACCOUNT_LOGIN_GUARD.windowSeconds / 60} minutes`,
  ],
  ['Database connections', `${config.dbPoolMax} in each of two pools`],
];

const permissionOf = ({ permission }: RouteDefinition): string =>
  typeof permission === 'function' ? 'some users' : permission === 'public' ? 'everyone' : 'every user';

const describeNamespace = ({ name, description, routes }: NamespaceDefinition) => ({
  name,
  description,
  routes: routes.map((route) => ({
    address: `/${name}${route.path}`,
    methods: route.methods.join(', '),
    summary: route.summary,
    permission: permissionOf(route),
    limited: route.rateLimit !== 'none',
  })),
});

interface SystemPageOptions {
  readonly clock: Clock;
  readonly write: Knex;
  readonly config: Config;
  readonly extensions: Pick<Extensions, 'current' | 'hooks'>;
}

export const systemPage = ({ clock, write, config, extensions }: SystemPageOptions): AdminPage => ({
  slug: 'system',
  title: 'System',
  howTo: 'run-for-good',
  group: 'Installation',
  position: 50,
  capability: 'manage_options',
  async handle({ user, restRoot }) {
    const [state, sections] = await Promise.all([
      readDatabaseState(write, clock()),
      extensions.hooks.applyFilters('system_sections', [], undefined),
    ]);
    return {
      kind: 'page',
      view: 'host-shim/admin/views/system',
      data: {
        restRoot,
        installation: installation(config, state, clock(), user),
        limits: limits(config),
        sections,
        migrations: state.migrations,
        namespaces: extensions.current().registry.namespaces.map(describeNamespace),
        settings: config.settings,
      },
    };
  },
});
