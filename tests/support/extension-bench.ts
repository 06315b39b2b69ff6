// Extensions that record the host's calls, and a database for loading them.
import { z } from 'zod';
import { type Extension, HOST_API, type Host, NO_TELEMETRY } from '../../host-shim/extension-api';
import { ExtensionRefused } from '../../host-shim/extensions/extension-errors';
import { type Extensions, loadExtensions } from '../../host-shim/extensions/extensions';
import { createTestDatabase, type TestDatabase } from './database';
import { createMemoryLog } from './memory-log';
import { memoryLedger } from './removal-host';

export const NOW = new Date('2026-11-20T10:00:00Z');

export type Changes = Partial<Omit<Extension, 'name' | 'register'>> & {
  readonly register?: (host: Host) => void | Promise<void>;
};

export interface ExtensionBench {
  database(): TestDatabase;
  /** The calls in this test, in order. */
  readonly calls: string[];
  /** An extension with one route, one page and one system fact, all named after it. */
  extension(name: string, changes?: Changes): Extension;
  load(
    installed: readonly Extension[],
    timeoutMs?: number,
  ): Promise<{ extensions: Extensions; logged: ReturnType<typeof createMemoryLog>['logged'] }>;
}

/** Call this once at the top of a test file. At the start of every test, the database has no recorded extensions. */
export function useExtensions(): ExtensionBench {
  let database: TestDatabase;
  const calls: string[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    calls.length = 0;
    await database.write.withSchema('host').from('extension').delete();
  });
  return {
    database: () => database,
    calls,
    extension: (name, changes) => extensionOf(calls, name, changes),
    async load(installed, timeoutMs = 30_000) {
      const { log, logged } = createMemoryLog();
      const extensions = await loadExtensions({
        clock: () => NOW,
        log,
        database,
        telemetry: NO_TELEMETRY,
        dataDir: '',
        openLedger: memoryLedger,
        messages: {},
        installed,
        timeoutMs,
      });
      return { extensions, logged };
    },
  };
}

function extensionOf(calls: string[], name: string, { register, ...changes }: Changes = {}): Extension {
  return {
    name,
    version: '1.0.0',
    description: `The extension ${name}.`,
    requires: { hostApi: HOST_API },
    commands: [],
    activate: async () => void calls.push(`${name} activate`),
    deactivate: async () => void calls.push(`${name} deactivate`),
    uninstall: async () => void calls.push(`${name} uninstall`),
    async register(host) {
      calls.push(`${name} register`);
      host.addAction('rest_api_init', ({ registerNamespace }) =>
        registerNamespace({
          name: `${name}/v1`,
          description: name,
          routes: [
            {
              path: '/there',
              methods: ['GET'],
              summary: name,
              checkedBy: 'route',
              input: z.object({}),
              permission: 'public',
              rateLimit: 'none',
              handle: async () => ({ status: 200, body: name }),
            },
          ],
          answerFailure: () => ({ status: 400, body: {} }),
        }),
      );
      host.addAction('admin_menu', ({ registerPage }) =>
        registerPage({
          slug: name,
          title: name,
          group: 'Data',
          position: 1,
          capability: 'read',
          handle: async () => ({ kind: 'redirect', to: '/' }),
        }),
      );
      host.addFilter('system_sections', (sections) => [...sections, { title: name, lines: [] }]);
      await register?.(host);
    },
    ...changes,
  };
}

/** The names of registered extensions. Throws if only some of an extension's route, page and filter are registered. */
export async function presentExtensions(
  { current }: Extensions,
  names: readonly string[],
): Promise<string[]> {
  const { registry, pages, hooks } = current();
  const sections = await hooks.applyFilters('system_sections', [], undefined);
  const titles = new Set(sections.map(({ title }) => title));
  return names.filter((name) => {
    const parts = [
      registry.find(`/${name}/v1/there`).definitions.length > 0,
      pages.find(name) !== undefined,
      titles.has(name),
    ];
    if (new Set(parts).size > 1) throw new Error(`${name} is only partly registered: ${parts.join(', ')}`);
    return parts[0];
  });
}

export const stateOf = async (extensions: Extensions, name: string) =>
  (await extensions.list()).find((one) => one.name === name);

/** The message of an ExtensionRefused. */
export const refusalOf = (change: Promise<void>): Promise<string> =>
  change.then(
    () => 'the change was accepted',
    (error: unknown) => (error instanceof ExtensionRefused ? error.message : `not refused: ${error}`),
  );

export const fail = (message: string) => async () => {
  throw new Error(message);
};
