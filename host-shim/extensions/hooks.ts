// Actions and filters: who wants to be told, and who wants to have a say.
// Callbacks run one after the other, by priority, then in the order in which they were added.
import {
  type ActionCallback,
  type Actions,
  type FilterCallback,
  type Filters,
  type Host,
  JobFailed,
} from '../extension-api';

export interface Hooks {
  /** Tells everybody. */
  doAction<Name extends keyof Actions>(name: Name, ...told: Actions[Name]): Promise<void>;
  /** Gives the value to everybody in turn, and answers what comes out. */
  applyFilters<Name extends keyof Filters>(
    name: Name,
    value: Filters[Name]['value'],
    told: Filters[Name]['told'],
  ): Promise<Filters[Name]['value']>;
  /** Whether anybody has a say. */
  hasFilter(name: keyof Filters): boolean;
}

/** Hooks while everything is being registered: the first callback that fails goes on to whoever asked, as HookFailed. */
export interface OpenHooks extends Hooks {
  /** What one extension adds is added in its name. */
  of(owner: string): Pick<Host, 'addAction' | 'addFilter'>;
  /** The same callbacks for the rest of the day: one that fails is reported and passed over, the others are asked. */
  forgiving(report: (failure: HookFailed) => void): Hooks;
}

/** A callback of this extension failed. */
export class HookFailed extends Error {
  override readonly name = 'HookFailed';
  constructor(
    readonly owner: string,
    hook: string,
    cause: unknown,
  ) {
    super(`${hook}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

interface Added<Callback> {
  readonly owner: string;
  readonly priority: number;
  readonly callback: Callback;
}

type ActionTable = { [Name in keyof Actions]: Added<ActionCallback<Name>>[] };
type FilterTable = { [Name in keyof Filters]: Added<FilterCallback<Name>>[] };

const USUAL_PRIORITY = 10;

function insert<Callback>(list: Added<Callback>[], added: Added<Callback>): void {
  const place = list.findIndex((other) => other.priority > added.priority);
  list.splice(place < 0 ? list.length : place, 0, added);
}

/** Calls, and gives `otherwise` when that failed and whoever is told of it goes on. */
async function inNameOf<T>(
  owner: string,
  hook: string,
  call: () => Promise<T>,
  fail: (failure: HookFailed) => T,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    return fail(new HookFailed(owner, hook, error));
  }
}

/** A JobFailed is not a fault of the callback: it is meant for whoever asked. */
const unlessMeant =
  (report: (failure: HookFailed) => void) =>
  (failure: HookFailed): void => {
    if (failure.cause instanceof JobFailed) throw failure.cause;
    report(failure);
  };

function stop(failure: HookFailed): never {
  throw failure;
}

/** Calls, and may end the wait. */
type Patience = <T>(call: () => Promise<T>) => Promise<T>;

function hooksOn(
  actions: ActionTable,
  filters: FilterTable,
  report: (failure: HookFailed) => void,
  patience: Patience,
): Hooks {
  return {
    async doAction(name, ...told) {
      for (const { owner, callback } of actions[name])
        await inNameOf(owner, name, () => patience(async () => callback(...told)), report);
    },
    async applyFilters(name, value, told) {
      let current = value;
      for (const { owner, callback } of filters[name]) {
        const before = current;
        const passOver = (failure: HookFailed) => {
          report(failure);
          return before;
        };
        current = await inNameOf(owner, name, () => patience(async () => callback(before, told)), passOver);
      }
      return current;
    },
    hasFilter: (name) => filters[name].length > 0,
  };
}

/** `patience` holds while everything is being registered; later nothing ends the wait for a callback. */
export function createHooks(patience: Patience = (call) => call()): OpenHooks {
  const actions: ActionTable = {
    rest_api_init: [],
    admin_menu: [],
    application_password_created: [],
    application_password_revoked: [],
    user_logged_in: [],
    server_started: [],
    settle: [],
  };
  const filters: FilterTable = {
    known_sites: [],
    welcome_lines: [],
    application_password_examples: [],
    system_facts: [],
  };
  return {
    of: (owner) => ({
      addAction(name, callback, priority = USUAL_PRIORITY) {
        insert(actions[name], { owner, priority, callback });
      },
      addFilter(name, callback, priority = USUAL_PRIORITY) {
        insert(filters[name], { owner, priority, callback });
      },
    }),
    ...hooksOn(actions, filters, stop, patience),
    forgiving: (report) => hooksOn(actions, filters, unlessMeant(report), (call) => call()),
  };
}
