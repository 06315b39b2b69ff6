// Writes one JSON document with everything that erasing a visitor would remove: what `planVisitors` and `visitorPlaces` find.
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { copyTo, type PreparedHost } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Visitor, VisitorIds } from '../removal/find-visitor';
import { mentionsOf } from '../removal/mentions';
import { NO_ROWS, ofSite, planVisitors, type RemovedRows, replacedRows } from '../removal/removal-plan';
import { existingSite, findVisitorOf } from '../removal/remove-data';
import { faultInWords, findInFiles, linesIn } from '../removal/visitor-files';
import { addressesOf, findRecords, isFound, visitorPlaces } from '../removal/visitor-places';
import { isWaiting } from '../removal/waiting-rows';
import { type Bind, bindings } from '../storage/bindings';
import { inTransaction } from '../storage/in-transaction';
import { ANY_SITE } from '../storage/planner';
import { rowIdOf, VIEWS } from '../storage/stored-materials';
import { AS_LINES, jsonOf, literal, rowsQuery } from './export-query';

interface VisitorExport {
  readonly host: Pick<PreparedHost, 'callerRecords' | 'clock' | 'database' | 'dataDir'>;
  readonly manifest: Manifest;
  readonly trackingId: string;
  readonly visitor: Visitor;
  readonly signal: AbortSignal;
  /** Resolves when more text can be written. */
  write(text: string): Promise<void>;
}

/** Throws a RemovalError, before anything is written, if there is no such site or visitor. */
export function exportVisitor(options: VisitorExport): Promise<void> {
  const { host, trackingId } = options;
  return inTransaction(host.database.write, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const { siteId } = await existingSite(client, trackingId);
    const visitor = await findVisitorOf(client, siteId, options.visitor);
    const head = {
      site: trackingId,
      exported_at: host.clock().toISOString(),
      reader_ids: visitor.readerIds,
      names: [...visitor.names, ...visitor.earlierNames],
    };
    await options.write(JSON.stringify(head, undefined, 1).replace(/\n\}$/, ''));
    for (const [name, select] of selects(options.manifest, siteId, visitor))
      await writeList(options, name, (add) => copyLines(client, select, options.signal, add));
    const mentions = mentionsOf(options.manifest, visitor);
    for (const place of visitorPlaces(visitor, mentions)) {
      const found = await findRecords(client, siteId, place);
      const condition = (bind: Bind) => isFound(siteId, place, found, bind);
      const select = inlined(siteId, (bind) => recordsQuery(place.table, condition(bind)));
      await writeList(options, place.name, (add) => copyLines(client, select, options.signal, add));
    }
    await writeList(options, 'caller_records', async (add) => {
      for (const one of await host.callerRecords.find(client, addressesOf(visitor)))
        await add(JSON.stringify(one));
    });
    await writeList(options, 'files', async (add) => {
      const searched = { client, siteId, dataDir: host.dataDir, mentions };
      const faults = await findInFiles(searched, (line) => add(JSON.stringify(line)));
      for (const fault of faults) await add(JSON.stringify({ unreadable: faultInWords(fault) }));
    });
    await options.write('\n}\n');
  });
}

type Add = (json: string) => Promise<void>;

async function writeList(
  { write }: Pick<VisitorExport, 'write'>,
  name: string,
  fill: (add: Add) => Promise<unknown>,
): Promise<void> {
  let separator = '';
  await write(`,\n ${JSON.stringify(name)}: [`);
  await fill(async (json) => {
    await write(`${separator}\n  ${json}`);
    separator = ',';
  });
  await write(separator === '' ? ']' : '\n ]');
}

async function copyLines(client: Client, select: string, signal: AbortSignal, add: Add): Promise<void> {
  await copyTo(client, `COPY (${select}) TO STDOUT ${AS_LINES}`, (stream) =>
    pipeline(
      stream.setEncoding('utf8'),
      async (texts: AsyncIterable<string>) => {
        for await (const line of linesIn(texts)) await add(line);
      },
      { signal },
    ),
  );
}

/** A statement for a site, with its values inlined because COPY takes no bindings. */
function inlined(siteId: number, statement: (bind: Bind) => string): string {
  const { bind, values } = bindings(siteId);
  // Citus can route a statement only if the site is not in a subquery.
  const visible = statement(bind).replaceAll(ANY_SITE, '$$1');
  return visible.replaceAll(/\$(\d+)/g, (_all, place) => literal(values[Number(place) - 1]));
}

const recordsQuery = (table: string, where: string): string =>
  `SELECT to_json(t) FROM analytics.${table} t WHERE ${where}`;

/** Pairs of a key in the export and a SELECT that returns one JSON value per record. */
function selects(
  manifest: Manifest,
  siteId: number,
  visitor: VisitorIds,
): readonly (readonly [string, string])[] {
  const { parts, undone = [], waiting = NO_ROWS } = planVisitors(manifest, visitor);
  const records = (table: string, where: RemovedRows['where']): string =>
    inlined(siteId, (bind) => recordsQuery(table, ofSite(where(bind))));
  const views = parts.find(({ material }) => material.name === VIEWS);
  return [
    ...parts.map((part) => {
      const select = (bind: Bind) => rowsOf(manifest, part, ofSite(part.where(bind)));
      return [part.material.name, inlined(siteId, select)] as const;
    }),
    ...parts.map((part) => {
      const others = undone.filter(({ material }) => material === part.material);
      // Citus also needs a condition on the site of these rows.
      const select = (bind: Bind) =>
        rowsOf(manifest, part, 't.site_id = $1', theirReplacedRows(part, others)(bind));
      return [`${part.material.name}_before_imports`, inlined(siteId, select)] as const;
    }),
    [
      'conversions',
      records('conversion', (bind) =>
        views === undefined
          ? 'false'
          : `t.pv_id IN (SELECT t.pv_id FROM analytics.page_view t WHERE ${ofSite(views.where(bind))})`,
      ),
    ],
    ['waiting_rows', records('waiting_row', isWaiting(waiting))],
  ];
}

function rowsOf(manifest: Manifest, { material }: RemovedRows, where: string, source?: string): string {
  return jsonOf(rowsQuery(manifest, material, 'csv', where, source));
}

/** The values that imports replaced in rows that belong, or once belonged, to the visitor. */
const theirReplacedRows =
  ({ material, where }: RemovedRows, undone: readonly RemovedRows[]) =>
  (bind: Bind): string =>
    `(SELECT t.* FROM ${replacedRows(material)}
         AND (o.row_id IN (SELECT t.${rowIdOf(material)} FROM analytics.${material.table} t WHERE ${ofSite(where(bind))})
              ${undone.map(({ where }) => `OR ${where(bind)}`).join(' ')}))`;
