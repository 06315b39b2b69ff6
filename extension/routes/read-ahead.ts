// Reads what a query needs before it is understood, in one statement: which features are off, and the state of its site.
// A body that names no site, or names it wrongly, is for the phases to refuse.
import type { HostUser } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { SWITCHED_OFF } from '../features/feature-switches';
import type { QueryDocument } from '../qal/parse/read-document';
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

/** Reads ahead for a query that this user sends. */
export async function readAhead(
  { host }: Analytics,
  { query }: QueryDocument,
  user: HostUser | null,
): Promise<ReadAhead> {
  const named = query?.tracking_id;
  const trackingId = typeof named === 'string' && maySee(user?.sites ?? [], named) ? named : null;
  const [row] = await host.database.read.query<Row>({
    ...{ name: 'read-ahead', text: STATEMENT, values: [trackingId], rowMode: 'array' },
  });
  const [switchedOff = [], ...state] = row ?? [];
  return {
    switchedOff: new Set(switchedOff),
    siteAhead: isState(state) ? { trackingId: trackingId ?? '', state: stateOf(state) } : undefined,
  };
}

const isState = (row: StateRow | readonly null[]): row is StateRow => typeof row[0] === 'number';
