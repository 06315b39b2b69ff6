// After a failure, everything is registered again without the failed extension, so that no part of it remains.
import { accounts } from '../accounts/accounts';
import { callerRecords } from '../accounts/caller-records';
import { withdrawSite } from '../accounts/known-sites';
import {
  type AdminPage,
  type CommandDefinition,
  type Extension,
  type HealthCheck,
  type Host,
  type HostTools,
  JobFailed,
  messageOf,
  type NamespaceDefinition,
  type PreparedHost,
  SettingError,
} from '../extension-api';
import { createRegistry, type Registry } from '../rest/registry';
import { withinTime } from '../server/within-time';
import { inOrder, missingNeed } from './decide';
import { createHooks, type HookFailed, type Hooks } from './hooks';
import { createPageRegistry, type PageRegistry } from './page-registry';

export interface Registrations {
  readonly registry: Registry;
  readonly pages: PageRegistry;
  /** A failing callback is logged and skipped, unless it throws a JobFailed. */
  readonly hooks: Hooks;
  readonly commands: readonly CommandDefinition[];
  readonly healthChecks: readonly HealthCheck[];
}

export interface BuiltIn {
  readonly namespaces: readonly NamespaceDefinition[];
  readonly pages: readonly AdminPage[];
  readonly healthChecks: readonly HealthCheck[];
}

export interface RegisterOptions
  extends HostTools,
    Pick<PreparedHost, 'openLedger'>,
    Pick<Host, 'messages' | 'publicUrl'> {
  readonly builtIn?: BuiltIn | undefined;
  /** Time limit for each callback of an extension; 30 s by default. */
  readonly timeoutMs?: number;
}

export interface Loaded {
  readonly registrations: Registrations;
  /** The error of each extension that could not be registered, by name. */
  readonly failures: ReadonlyMap<string, unknown>;
}

class Fault extends Error {
  constructor(
    readonly extension: string,
    override readonly cause: unknown,
  ) {
    super(messageOf(cause));
  }
}

const PATIENCE_MS = 30_000;

export const waitFor = <T>(work: () => Promise<T>, timeoutMs = PATIENCE_MS): Promise<T> =>
  withinTime(work, timeoutMs);

export const noRegistrations = (): Registrations => ({
  registry: createRegistry(),
  pages: createPageRegistry(),
  hooks: createHooks().calls(() => undefined),
  commands: [],
  healthChecks: [],
});

/** Throws a Fault that names the failed extension. */
async function registerAll(active: readonly Extension[], options: RegisterOptions): Promise<Registrations> {
  const { builtIn, clock, log, database, telemetry, dataDir, openLedger, timeoutMs } = options;
  const registry = createRegistry();
  const pages = createPageRegistry();
  const hooks = createHooks();
  const logFailure = (failure: HookFailed) => {
    // A JobFailed is the callback's message to the user, not a bug.
    if (failure.cause instanceof JobFailed) throw failure.cause;
    log.error({ err: failure, extension: failure.owner }, `The extension ${failure.owner} failed in a hook.`);
  };
  const calls = hooks.calls(logFailure);
  const commands: CommandDefinition[] = [];
  const registerCommand = (definition: CommandDefinition) => {
    if (commands.some(({ name }) => name === definition.name))
      throw new Error(`The command ${definition.name} is registered twice.`);
    commands.push(definition);
  };
  const healthChecks = [...(builtIn?.healthChecks ?? [])];
  const registerHealthCheck = (check: HealthCheck) => void healthChecks.push(check);
  for (const namespace of builtIn?.namespaces ?? []) registry.add(namespace);
  for (const page of builtIn?.pages ?? []) pages.add(page);
  const registered = new Set<string>();
  for (const extension of active) {
    try {
      const need = missingNeed(extension, registered);
      if (need !== undefined) throw new Error(need);
      const host: Host = {
        clock,
        log,
        database,
        telemetry,
        dataDir,
        registerCommand,
        registerHealthCheck,
        ...hooks.addedBy(extension.name),
        openLedger,
        callerRecords,
        withdrawSite: (client, trackingId) => withdrawSite(calls, client, trackingId),
        accounts,
        messages: options.messages,
        publicUrl: options.publicUrl,
      };
      await waitFor(() => extension.register(host), timeoutMs);
    } catch (error) {
      throw new Fault(extension.name, error);
    }
    registered.add(extension.name);
  }
  const stopAtFailure = (failure: HookFailed) => {
    throw new Fault(failure.owner, failure.cause);
  };
  const atStart = hooks.calls(stopAtFailure, (call) => waitFor(call, timeoutMs));
  await atStart.doAction('rest_api_init', { registerNamespace: (definition) => registry.add(definition) });
  await atStart.doAction('admin_menu', { registerPage: (page) => pages.add(page) });
  return { registry, pages, hooks: calls, commands, healthChecks };
}

/** Registers every extension that can be registered. Rethrows a SettingError, because only the operator can correct a setting. */
export async function registerExtensions(
  active: readonly Extension[],
  options: RegisterOptions,
): Promise<Loaded> {
  const failures = new Map<string, unknown>();
  const ordered = inOrder(active);
  for (;;) {
    const rest = ordered.filter(({ name }) => !failures.has(name));
    try {
      return { registrations: await registerAll(rest, options), failures };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.cause instanceof SettingError) throw error.cause;
      failures.set(error.extension, error.cause);
    }
  }
}
