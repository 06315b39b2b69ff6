// An extension with pages and hooks provided by a test.
import { type AdminPage, type Extension, HOST_API, type Host } from '../../host-shim/extension-api';

/** A page at /wp-admin/<slug> that everyone may see, and that accepts any request. */
export const testPage = (slug: string, handle: AdminPage['handle']): AdminPage => ({
  slug,
  title: `Page ${slug}`,
  group: null,
  position: 0,
  capability: 'read',
  takes: { words: 9, post: true },
  handle,
});

export const pageExtension = (
  pages: readonly AdminPage[],
  hook: (host: Host) => void = () => {},
): Extension => ({
  name: 'pages-of-a-test',
  version: '1.0.0',
  description: 'Pages for a test.',
  requires: { hostApi: HOST_API },
  commands: [],
  async register(host) {
    host.addAction('admin_menu', (menu) => {
      for (const page of pages) menu.registerPage(page);
    });
    hook(host);
  },
});
