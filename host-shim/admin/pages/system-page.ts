// The page "System": what runs here, on what, within which limits, and what can be called. It shows no secret.
import { LOGIN_GUARD, type LoginGuardOptions } from '../../auth/login-guard';
import type { Config } from '../../config';
import type { AdminPage, HostUser, NamespaceDefinition, RouteDefinition } from '../../extension-api';
import type { HostParts } from '../../load-host';
import { programVersion } from '../../package-version';
import { BODY_LIMIT_BYTES } from '../../rest/read-body';
import { ACCOUNT_LOGIN_GUARD, PAGE_LOGIN_GUARD } from '../../sessions/log-in';
import { type DatabaseState, databaseState } from '../database-state';
import { formatInstant } from '../format-instant';

type Line = readonly [title: string, text: string];

const countOf = (count: number) => count.toLocaleString('en');

function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MB'] : [bytes / 1024 ** 3, 'GB'];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

/** How far the two clocks are from each other, in words. */
export function clockDifference(server: Date, database: Date): string {
  const seconds = (database.getTime() - server.getTime()) / 1000;
  if (Math.abs(seconds) < 2) return 'the same as here';
  return `${Math.abs(seconds).toFixed(0)} s ${seconds > 0 ? 'ahead of' : 'behind'} this program`;
}

function installation(config: Config, state: DatabaseState, now: Date, user: HostUser): readonly Line[] {
  const place =
    config.databaseUrl === undefined
      ? `embedded, in ${config.dataDir}`
      : `of DATABASE_URL, database ${state.name}`;
  return [
    ['Program', programVersion()],
    ['Node.js', process.versions.node],
    ['PostgreSQL', `${state.version}, ${place}; ${sizeOf(state.bytes)}`],
    ['Time of the program', formatInstant(now, user.timezone)],
    [
      'Time of the database',
      `${formatInstant(state.now, user.timezone)} (${clockDifference(now, state.now)})`,
    ],
    ['Migrations', `${state.migrations.length}, the last is ${state.migrations.at(-1) ?? 'none'}`],
    ['Environment', config.environment],
    [
      'Open sessions',
      `${countOf(state.openSessions)} of ${countOf(state.peopleInSessions)} ${state.peopleInSessions === 1 ? 'person' : 'people'}`,
    ],
  ];
}

const guardOf = ({ failures, windowSeconds }: LoginGuardOptions): string =>
  failures === 0 ? 'no limit' : `${failures} of one address in ${windowSeconds / 60} minutes`;

const rateOf = (calls: number, window: string): string =>
  calls === 0 ? 'no limit' : `${countOf(calls)} per user and ${window}`;

const limits = (config: Config): readonly Line[] => [
  ['Calls per hour', rateOf(config.ratePerHour, 'hour')],
  ['Calls per minute', rateOf(config.ratePerMinute, 'minute')],
  ['Calls of the pages', rateOf(config.pagesRatePerMinute, 'minute')],
  ['Body of a request', `${countOf(BODY_LIMIT_BYTES / 1024)} KiB`],
  ['Wrong application passwords', guardOf(LOGIN_GUARD)],
  ['Wrong login passwords', guardOf(PAGE_LOGIN_GUARD)],
  [
    'The same of one account',
    `${ACCOUNT_LOGIN_GUARD.failures} from all addresses in ${ACCOUNT_LOGIN_GUARD.windowSeconds / 60} minutes`,
  ],
  ['Connections to the database', `${config.dbPoolMax} in each of two pools`],
];

const permissionOf = ({ permission }: RouteDefinition): string =>
  typeof permission === 'function' ? 'some users' : permission === 'public' ? 'everybody' : 'every user';

const routesOf = ({ name, description, routes }: NamespaceDefinition) => ({
  name,
  description,
  routes: routes.map((route) => ({
    address: `/${name}${route.path}`,
    methods: route.methods.join(', '),
    summary: route.summary,
    permission: permissionOf(route),
    limited: route.rateLimit === 'per-user',
  })),
});

export const systemPage = (parts: HostParts): AdminPage => ({
  slug: 'system',
  title: 'System',
  group: 'Installation',
  position: 50,
  capability: 'manage_options',
  async handle({ user, restRoot }) {
    const { settings, clock, database } = parts;
    const { registry, hooks } = parts.extensions().current();
    const [state, facts] = await Promise.all([
      databaseState(database.write, clock()),
      hooks.applyFilters('system_facts', [], undefined),
    ]);
    return {
      kind: 'page',
      view: 'host-shim/admin/views/system',
      data: {
        restRoot,
        installation: installation(settings, state, clock(), user),
        limits: limits(settings),
        facts,
        migrations: state.migrations,
        namespaces: registry.namespaces.map(routesOf),
        settings: settings.settings,
      },
    };
  },
});
