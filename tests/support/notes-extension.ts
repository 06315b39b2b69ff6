// An optional extension with a route, a page and a section on the *System* page.
import { z } from 'zod';
import { type Extension, HOST_API, pageAddress } from '../../host-shim/extension-api';

export const notesExtension = (changes: Partial<Extension> = {}): Extension => ({
  name: 'notes',
  version: '1.0.0',
  description: 'Keeps notes.',
  requires: { hostApi: HOST_API },
  commands: [],
  async register(host) {
    host.addAction('rest_api_init', ({ registerNamespace }) =>
      registerNamespace({
        name: 'notes/v1',
        description: 'Notes.',
        routes: [
          {
            path: '/all',
            methods: ['GET'],
            summary: 'All notes.',
            input: z.object({}),
            permission: 'logged-in',
            rateLimit: 'none',
            checkedBy: 'route',
            handle: async () => ({ status: 200, body: [] }),
          },
        ],
        answerFailure: () => ({ status: 400, body: {} }),
      }),
    );
    host.addAction('admin_menu', ({ registerPage }) =>
      registerPage({
        slug: 'notes',
        title: 'Notes',
        group: 'Data',
        position: 90,
        capability: 'read',
        handle: async () => ({ kind: 'redirect', to: pageAddress('profile') }),
      }),
    );
    host.addFilter('system_sections', (sections) => [...sections, { title: 'Number of notes', lines: [] }]);
  },
  ...changes,
});
