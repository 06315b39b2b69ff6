// Registers the extensions that are on, each in its turn: all that can be, and why the others cannot.
// A failure leaves nothing of its extension behind, since everything is registered anew without it.
import {
  type AdminPage,
  type CommandDefinition,
  type Extension,
  type HostTools,
  type NamespaceDefinition,
  SettingError,
} from '../extension-api';
import { createRegistry, type Registry } from '../rest/registry';
import { inOrder, missingNeed } from './decide';
import { createHooks, HookFailed, type Hooks } from './hooks';
import { createPageRegistry, type PageRegistry } from './page-registry';
import { PATIENCE_MS, withinTime } from './within-time';

/** Everything that the host and its active extensions registered. */
export interface Registrations {
  readonly registry: Registry;
  readonly pages: PageRegistry;
  /** A callback that fails is logged and passed over. */
  readonly hooks: Hooks;
  readonly commands: readonly CommandDefinition[];
}

export interface BuiltIn {
  readonly namespaces: readonly NamespaceDefinition[];
  readonly pages: readonly AdminPage[];
}

export interface RegisterOptions extends HostTools {
  /** What the host itself registers, before all extensions. */
  readonly builtIn?: BuiltIn | undefined;
  /** How long an extension may take for one of its callbacks, 30 s unless said. */
  readonly patienceMs?: number;
}

export interface Loaded {
  readonly registrations: Registrations;
  /** Extension -> why it is left out. */
  readonly failures: ReadonlyMap<string, unknown>;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What went wrong while this extension was being registered. */
class Fault extends Error {
  constructor(
    readonly extension: string,
    override readonly cause: unknown,
  ) {
    super(reasonOf(cause));
  }
}

export const noRegistrations = (): Registrations => ({
  registry: createRegistry(),
  pages: createPageRegistry(),
  hooks: createHooks(),
  commands: [],
});

/** Registers everything from the start; throws a Fault that names the extension at which it failed. */
async function registerAll(active: readonly Extension[], options: RegisterOptions): Promise<Registrations> {
  const { builtIn, clock, log, database, patienceMs = PATIENCE_MS } = options;
  const registry = createRegistry();
  const pages = createPageRegistry();
  const hooks = createHooks((call) => withinTime(call, patienceMs));
  const commands: CommandDefinition[] = [];
  const registerCommand = (definition: CommandDefinition) => {
    if (commands.some(({ name }) => name === definition.name))
      throw new Error(`The command ${definition.name} is registered twice.`);
    commands.push(definition);
  };
  for (const namespace of builtIn?.namespaces ?? []) registry.add(namespace);
  for (const page of builtIn?.pages ?? []) pages.add(page);
  const registered = new Set<string>();
  for (const extension of active) {
    try {
      const need = missingNeed(extension, registered);
      if (need !== undefined) throw new Error(need);
      const host = { clock, log, database, registerCommand, ...hooks.of(extension.name) };
      await withinTime(() => extension.register(host), patienceMs);
    } catch (error) {
      throw new Fault(extension.name, error);
    }
    registered.add(extension.name);
  }
  try {
    await hooks.doAction('rest_api_init', { registerNamespace: (definition) => registry.add(definition) });
    await hooks.doAction('admin_menu', { registerPage: (page) => pages.add(page) });
  } catch (error) {
    throw error instanceof HookFailed ? new Fault(error.owner, error.cause) : error;
  }
  const report = (failure: HookFailed) =>
    log.error({ err: failure, extension: failure.owner }, `The extension ${failure.owner} failed in a hook.`);
  return { registry, pages, hooks: hooks.forgiving(report), commands };
}

/**
 * Registers all that can be: whoever fails is left out, and the rest is registered without it. A SettingError goes on
 * to whoever asked: a wrong setting is the operator's to put right.
 */
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
