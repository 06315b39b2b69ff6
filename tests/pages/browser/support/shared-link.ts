import { logInAs } from '../../../support/page-client';
import type { TestHost } from '../../../support/test-host';

/** Creates a link to a page of a site without the browser. Returns its path with its key. */
export async function createLink(host: TestHost, page: string, site = 'shop'): Promise<string> {
  const ann = await logInAs(host, 'ann');
  const fields = { page, name: 'Partner', site, expires: '2030-01-01' };
  const { text } = await ann.post('/wp-admin/application-passwords/link', fields);
  const [link] = new RegExp(`/link/${page}#[\\w.-]+(?=<)`).exec(text) ?? [];
  if (link === undefined) throw new Error('The page does not show a link.');
  return link;
}
