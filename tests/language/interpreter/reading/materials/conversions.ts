// The sessions that convert on each goal. A session converts on its first view, by time and then by id, that triggers the goal.
import { isDeepStrictEqual } from 'node:util';
import type { Conversion, Goal, Json, Tables } from '../tables';

type Read<Table extends keyof Tables, Column extends keyof Tables[Table][number]> = readonly Pick<
  Tables[Table][number],
  Column
>[];

export interface Measured extends Pick<Tables, 'page' | 'selector' | 'event_name' | 'goal'> {
  readonly page_view: Read<
    'page_view',
    'site_id' | 'pv_id' | 'session_id' | 'page_id' | 'at' | 'depth_position'
  >;
  readonly click: Read<'click', 'site_id' | 'pv_id' | 'selector_id'>;
  readonly event: Read<'event', 'site_id' | 'pv_id' | 'event_name_id' | 'params'>;
}

type View = Measured['page_view'][number];

/** One row per converting session and goal. */
export function conversionsOf(tables: Measured): readonly Conversion[] {
  return tables.goal.flatMap((goal) => {
    const triggering = tables.page_view
      .filter((view) => view.site_id === goal.site_id && triggers(goal, view, tables))
      .sort((a, b) => a.at - b.at || a.pv_id - b.pv_id);
    const sessions = [...new Set(triggering.map((view) => view.session_id))];
    return sessions.flatMap((session_id): readonly Conversion[] => {
      const first = triggering.find((view) => view.session_id === session_id);
      if (first === undefined) return [];
      const { site_id, pv_id, at } = first;
      return [{ site_id, goal_no: goal.goal_no, session_id, pv_id, at }];
    });
  });
}

function triggers({ type, condition }: Goal, view: View, tables: Measured): boolean {
  const url = tables.page.find((it) => it.site_id === view.site_id && it.page_id === view.page_id)?.url;
  switch (type) {
    case 'gtype_page':
      return matches(url ?? '', text(condition, 'url'), text(condition, 'match'));
    case 'url_match':
      return (url ?? '').includes(text(condition));
    case 'scroll_depth':
      return view.depth_position !== null && view.depth_position >= Number(condition);
    case 'click':
      return clicked(view, text(condition), tables);
    case 'gtype_click':
      return (
        clicked(view, text(condition, 'selector'), tables) &&
        (field(condition, 'page') === null || matches(url ?? '', text(condition, 'page'), 'exact'))
      );
    case 'gtype_event':
      return pushed(view, condition, tables);
    default:
      throw new Error(`The interpreter has no goal of type ${type}.`);
  }
}

/** `exact` ignores a trailing slash. */
function matches(url: string, wanted: string, match: string): boolean {
  const bare = (text: string): string => text.replace(/\/$/, '');
  switch (match) {
    case 'exact':
      return bare(url) === bare(wanted);
    case 'prefix':
      return url.startsWith(wanted);
    case 'contains':
      return url.includes(wanted);
    case 'regex':
      return new RegExp(wanted, 'u').test(url);
    default:
      throw new Error(`The interpreter has no match ${match}.`);
  }
}

const isOn = (view: View, it: { readonly site_id: number; readonly pv_id: number }): boolean =>
  it.site_id === view.site_id && it.pv_id === view.pv_id;

const clicked = (view: View, wanted: string, { click, selector }: Measured): boolean =>
  click.some(
    (it) =>
      isOn(view, it) &&
      selector.some(
        (text) =>
          text.site_id === it.site_id && text.selector_id === it.selector_id && text.selector === wanted,
      ),
  );

/** Whether the view has an event with the name and the parameters that the goal requires. */
function pushed(view: View, condition: Json, { event, event_name }: Measured): boolean {
  const { event: wanted, ...parameters } = record(condition);
  return event.some(
    (it) =>
      isOn(view, it) &&
      event_name.some(
        (name) =>
          name.site_id === it.site_id &&
          name.event_name_id === it.event_name_id &&
          name.event_name === wanted,
      ) &&
      Object.entries(parameters).every(
        ([name, value]) => Object.hasOwn(it.params, name) && isDeepStrictEqual(it.params[name], value),
      ),
  );
}

const record = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};

/** Returns the condition or, with `name`, one of its fields. It must be a string. */
function text(condition: Json, name?: string): string {
  const value = name === undefined ? condition : field(condition, name);
  if (typeof value !== 'string') throw new Error(`A goal has the condition ${JSON.stringify(condition)}.`);
  return value;
}

const field = (value: Json, name: string): Json => record(value)[name] ?? null;
