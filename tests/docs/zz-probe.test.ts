import { openDatabase } from '../../db/connect';
import { migrate } from '../../db/migrate';
import { testServer } from '../support/database';
import { asOwner } from '../support/test-server';
import { blocksOf } from './fenced-blocks';
test('x', async () => {
  const server = testServer();
  const sql = blocksOf('docs/how-to/own-postgresql.md', 'sql')[0]!.text.replaceAll('DATABASE qal', 'DATABASE qal2');
  await asOwner(server, async (client: any) => { for (const s of sql.split(';')) if (s.trim()) await client.query(s); });
  const mk = (user: string, pw: string) => server.ownerUrl.replace(/\/\/[^@/]*@/, `//${user}:${pw}@`).replace(/\/([^/?]*)(\?|$)/, '/qal2$2');
  console.log(server.ownerUrl, mk('qal_owner', 'first%20secret'));
  const db = await openDatabase({ url: mk('qal_owner', 'first%20secret'), readUrl: mk('qal_reader', 'second%20secret'), dataDir: '/tmp/none', poolMax: 3, onPoolError: () => undefined });
  const names = await migrate(db.write);
  const out: string[] = [names.join(), db.description];
  for (const q of ['select count(*) from analytics.site', 'select * from host.users', 'create table x(a int)', 'select current_user']) out.push(await db.read.raw(q).then((r: any) => JSON.stringify(r.rows), (e: Error) => e.message));
  await db.stop();
  console.log(out.join('\n'));
});
