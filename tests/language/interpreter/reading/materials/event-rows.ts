// Rows of clicks and data layer events.
import { jsonText } from '../json-text';
import type { EventName, Json, LayerEvent, Tables, Value } from '../tables';
import { isWithin, type Period, type PlacedRow } from './period';
import { timeParts } from './view-values';

/** Clicks in the period, ordered by time. */
export function clickRows(tables: Tables, period: Period): readonly PlacedRow[] {
  return tables.click
    .filter((click) => isWithin(click, period))
    .map((click) => {
      const { at, view_at: _viewAt, is_external, ...stored } = click;
      const selector = tables.selector.find(
        (it) => it.site_id === click.site_id && it.selector_id === click.selector_id,
      );
      return {
        site: click.site_id,
        place: [at, click.click_id],
        values: {
          ...stored,
          ...timeParts(at, period.tz),
          is_external: Number(is_external),
          selector: selector?.selector ?? null,
        },
      };
    });
}

/** All pushes in the period. */
export function layerRows(tables: Tables, period: Period): readonly PlacedRow[] {
  return tables.event
    .filter((event) => isWithin(event, period))
    .map((event) =>
      rowOf(event, period, {
        event_name: nameOf(event, tables)?.event_name ?? null,
        params_json: jsonText(event.params),
      }),
    );
}

/** The pushes with this name. A parameter is a number only if it is a number on every queried site that has it. */
export function eventRows(name: string, tables: Tables, period: Period): readonly PlacedRow[] {
  const observed = tables.event_name
    .filter((it) => it.event_name === name && period.sites.includes(it.site_id))
    .flatMap((it) => Object.entries(it.observed));
  const parameters = [...new Set(observed.map(([parameter]) => parameter))].map((parameter) => ({
    parameter,
    isNumber: observed.every(([other, type]) => other !== parameter || type === 'number'),
  }));
  return tables.event
    .filter((event) => isWithin(event, period) && nameOf(event, tables)?.event_name === name)
    .map((event) =>
      rowOf(
        event,
        period,
        Object.fromEntries(
          parameters.map(({ parameter, isNumber }) => [
            parameter,
            parameterValue(event.params[parameter] ?? null, isNumber),
          ]),
        ),
      ),
    );
}

function rowOf(event: LayerEvent, { tz }: Period, values: Readonly<Record<string, Value>>): PlacedRow {
  const { site_id, at, event_id, pv_id, session_id, page_id } = event;
  return {
    site: site_id,
    place: [at, event_id],
    values: { ...values, ...timeParts(at, tz), pv_id, session_id, page_id },
  };
}

const nameOf = (event: LayerEvent, { event_name }: Tables): EventName | undefined =>
  event_name.find((it) => it.site_id === event.site_id && it.event_name_id === event.event_name_id);

/** Returns text and null unchanged. Any other value becomes a number if the parameter is a number, and JSON text otherwise. */
function parameterValue(value: Json, isNumber: boolean): Value {
  if (value === null || typeof value === 'string') return value;
  return isNumber ? Number(value) : jsonText(value);
}
