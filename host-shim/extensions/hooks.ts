// Callbacks run one after another, by priority, then in the order in which they were added.
import {
  type ActionCallback,
  type Actions,
  type FilterCallback,
  type Filters,
  type Host,
  messageOf,
} from '../extension-api';

export interface Hooks {
  doAction<Name extends keyof Actions>(name: Name, ...event: Actions[Name]): Promise<void>;
  /** Passes the value through every callback. */
  applyFilters<Name extends keyof Filters>(
    name: Name,
    value: Filters[Name]['value'],
    context: Filters[Name]['context'],
  ): Promise<Filters[Name]['value']>;
  hasFilter(name: keyof Filters): boolean;
}

interface HookTable {
  addedBy(owner: string): Pick<Host, 'addAction' | 'addFilter'>;
  /** A failure is passed to `onFailure`; the remaining callbacks still run unless `onFailure` throws. */
  calls(onFailure: (failure: HookFailed) => void, limit?: TimeLimit): Hooks;
}

type TimeLimit = <T>(call: () => Promise<T>) => Promise<T>;

export class HookFailed extends Error {
  override readonly name = 'HookFailed';
  constructor(
    readonly owner: string,
    hook: string,
    cause: unknown,
  ) {
    super(`${hook}: ${messageOf(cause)}`, { cause });
  }
}

interface Added<Callback> {
  readonly owner: string;
  readonly priority: number;
  readonly callback: Callback;
}

type ActionTable = { [Name in keyof Actions]: Added<ActionCallback<Name>>[] };
type FilterTable = { [Name in keyof Filters]: Added<FilterCallback<Name>>[] };

const DEFAULT_PRIORITY = 10;

function insert<Callback>(list: Added<Callback>[], added: Added<Callback>): void {
  const index = list.findIndex((other) => other.priority > added.priority);
  list.splice(index < 0 ? list.length : index, 0, added);
}

export function createHooks(): HookTable {
  const actions: ActionTable = {
    rest_api_init: [],
    admin_menu: [],
    application_password_created: [],
    application_password_revoked: [],
    user_deleted: [],
    user_logged_in: [],
    server_started: [],
    server_ready: [],
    minute: [],
    server_stopped: [],
    settle: [],
  };
  const filters: FilterTable = {
    known_sites: [],
    welcome_lines: [],
    application_password_examples: [],
    system_sections: [],
    daily_growth: [],
    application_password_levels: [],
  };
  return {
    addedBy: (owner) => ({
      addAction(name, callback, priority = DEFAULT_PRIORITY) {
        insert(actions[name], { owner, priority, callback });
      },
      addFilter(name, callback, priority = DEFAULT_PRIORITY) {
        insert(filters[name], { owner, priority, callback });
      },
    }),
    calls: (onFailure, limit = (call) => call()) => ({
      async doAction(name, ...event) {
        for (const { owner, callback } of actions[name]) {
          try {
            await limit(async () => callback(...event));
          } catch (error) {
            onFailure(new HookFailed(owner, name, error));
          }
        }
      },
      async applyFilters(name, value, context) {
        let current = value;
        for (const { owner, callback } of filters[name]) {
          const before = current;
          try {
            current = await limit(async () => callback(before, context));
          } catch (error) {
            onFailure(new HookFailed(owner, name, error));
          }
        }
        return current;
      },
      hasFilter: (name) => filters[name].length > 0,
    }),
  };
}
