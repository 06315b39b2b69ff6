// Owns what is read before a query is understood: which features are off, and the state of the site that it names.
// One statement instead of two on every query. Whatever the body turns out to say, the phases ask for what they lack.
import type { HostUser } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { SWITCHED_OFF } from '../features/feature-switches';
import { isJsonObject, type JsonValue } from '../qal/types/json';
import type { SiteAhead } from '../qal/types/query-context';
import { maySee, SITE_STATE, type StateRow, stateOf } from '../storage/sites/site-states';

export interface ReadAhead {
  /** Names of features. */
  readonly switchedOff: ReadonlySet<string>;
  readonly siteAhead: SiteAhead | undefined;
}

const STATEMENT = `
SELECT ARRAY(${SWITCHED_OFF}), state.* FROM (SELECT 1) AS one LEFT JOIN (${SITE_STATE}) AS state ON true`;

type Row = readonly [switchedOff: readonly string[], ...site: StateRow | readonly null[]];

/** Reads ahead for the body of a query that this user sends. */
export async function readAhead(
  { host, settings: { rollups } }: Analytics,
  body: string,
  user: HostUser | null,
): Promise<ReadAhead> {
  const named = trackingIdIn(body);
  const trackingId = named !== undefined && maySee(user?.sites ?? [], named) ? named : null;
  const [row] = await host.database.read.query<Row>({
    ...{ name: 'read-ahead', text: STATEMENT, values: [rollups, trackingId], rowMode: 'array' },
  });
  const [switchedOff = [], ...state] = row ?? [];
  return {
    switchedOff: new Set(switchedOff),
    siteAhead: isState(state) ? { trackingId: trackingId ?? '', state: stateOf(state) } : undefined,
  };
}

const isState = (row: StateRow | readonly null[]): row is StateRow => typeof row[0] === 'number';

/** What is no query, or names its site in no way that counts, is for the phases to refuse. */
function trackingIdIn(body: string): string | undefined {
  try {
    const sent: JsonValue = JSON.parse(body);
    const query = isJsonObject(sent) ? (sent.qal ?? sent) : sent;
    const trackingId = isJsonObject(query) ? query.tracking_id : undefined;
    return typeof trackingId === 'string' ? trackingId : undefined;
  } catch {
    return undefined;
  }
}
