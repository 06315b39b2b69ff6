// Rows in every table, for tests of backups and upgrades.
import type { Knex } from 'knex';

const AT = new Date('2026-05-02T00:00:00Z');
const KEY = '00000000-0000-4000-8000-000000000002';

/** A row for each table that imports do not fill. */
export const RARE_ROWS: Readonly<Record<string, object>> = {
  'host.users': {
    login: 'ann',
    display_name: 'Ann',
    role: 'administrator',
    password_hash: 'x',
    created_at: AT,
  },
  'host.user_sites': { user_id: 1, tracking_id: 'demo' },
  'host.application_passwords': {
    uuid: '00000000-0000-4000-8000-000000000001',
    user_id: 1,
    name: 'key',
    secret_hash: 'x',
    created_at: AT,
    level: 'read',
  },
  'host.second_factor': { user_id: 1, secret: 'x', used_step: 1, created_at: AT },
  'host.recovery_code': { user_id: 1, code_hash: 'x' },
  'host.session': { session_key: 'k', user_id: 1, data: {}, created_at: AT, expires_at: AT },
  'host.secret': { name: 'key', value: 'x' },
  'host.extension': { name: 'analytics', state: 'active', version: '1', changed_at: AT },
  'host.window_count': { name: 'w', seconds: 60, count: 1, ends_at: AT },
  'host.backup': { made_at: AT, bytes: 1 },
  'host.alarm': { cause: 'Disk', told: 'warning', alarmed_at: AT },
  'host.job': { name: 'backup', begun_at: AT },
  'analytics.given_id': { site_id: 1, kind: 'pv_id', text_key: KEY, id: 3_000_000_000_000_001, given: 'a' },
  'analytics.channel_rules': { site_id: 1, rules: { rules: [] } },
  'analytics.location': { site_id: 1, location_id: 1, region: 'DE-BE', city: 'Berlin', text_key: KEY },
  'analytics.import_source': { site_id: 1, source_no: 1, source_name: 'web-1' },
  'analytics.visitor_first': { site_id: 1, reader_id: 1, import_id: 1, first_at: AT },
  'analytics.import_rejection': { import_id: 1, line: 1, reason: 'wrong' },
  'analytics.waiting_row': {
    site_id: 1,
    material: 'click_event',
    import_ids: [1],
    arrivals: [-1],
    lines: [1],
    pv_id: 7,
    facts: {},
    row_key: KEY,
  },
  'analytics.feature_switch': { feature: 'f', enabled: true, changed_at: AT },
  'analytics.query_record': {
    asked_at: AT,
    user_id: 1,
    login: 'ann',
    version: '2026-05-11',
    body: '{}',
    milliseconds: 1,
    status: 200,
  },
  'analytics.saved_query': {
    user_id: 1,
    login: 'ann',
    name: 'q',
    body: '{}',
    version: '2026-05-11',
    shared: false,
    changed_at: AT,
  },
  'analytics.funnel': { site_id: 1, name: 'f', steps: JSON.stringify([{ kind: 'event', value: 'a' }]) },
  'analytics.segment': {
    site_id: 1,
    user_id: 1,
    login: 'ann',
    name: 's',
    filters: JSON.stringify([]),
    shared: false,
  },
  'analytics.note': { site_id: 1, day: '2026-05-02', text: 'n' },
  'analytics.report': {
    site_id: 1,
    user_id: 1,
    login: 'ann',
    frequency: 'weekly',
    recipient: 'ann@shop.example',
    token: 't',
    covered: '2026-04-20',
    next_at: AT,
  },
  'analytics.report_test': { recipient: 'ann@shop.example', sent_at: AT },
  'analytics.stored_month': { site_id: 1, material: 'allpv', month: '2026-05-01', row_count: 1, bytes: 300 },
  'analytics.stored_day': { site_id: 1, day: '2026-05-02', bytes: 300, row_count: 1 },
  'analytics.erasure': { site_id: 1, erasure_id: KEY, erased_at: AT },
  'analytics.erased_digest': { site_id: 1, erasure_id: KEY, digest: Buffer.alloc(32, 10), name_no: 1 },
  'analytics.rejected_file': { site_id: 1, path: '/a.rejected.ndjson', written_at: AT },
  'analytics.removal': {
    removed_at: AT,
    login: 'ann',
    kind: 'days',
    tracking_id: 'demo',
    removed: {},
  },
  'analytics.followed_file': {
    site_id: 1,
    material: 'allpv',
    path: '/log',
    since: 1,
    files: '[{"inode": "1", "head": "", "tail": "", "position": 1, "stamp": ""}]',
  },
  'analytics.follow_gap': {
    site_id: 1,
    material: 'allpv',
    path: '/log',
    head: '',
    tail: '',
    position: 1,
    options: '',
    found_at: AT,
  },
};

/** All rows of all tables, as text. */
export async function everything(write: Knex): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await write.raw(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('host', 'analytics') ORDER BY 1`,
  );
  const found: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { rows } = await write.raw(`SELECT to_jsonb(t)::text AS row FROM ${name} t ORDER BY 1`);
    found[name] = rows.map(({ row }: { row: string }) => row);
  }
  return found;
}
