// The page for the country database, at /wp-admin/imports/geoip, and the route that receives an uploaded database.
import { z } from 'zod';
import {
  type AdminAnswer,
  defineRoute,
  type HostUser,
  pageAddress,
  type RouteDefinition,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { refusal } from '../api/routes/refusal';
import { ImportError } from '../data/import/import-error';
import { pagesNamespaceOf } from './page-route';

export async function geoipPage({
  places,
  settings,
}: Pick<Analytics, 'places' | 'settings'>): Promise<AdminAnswer> {
  const { geoip } = settings;
  return {
    kind: 'page',
    title: 'Countries of visitors',
    view: 'extension/pages/views/geoip',
    scripts: ['extension/geoip'],
    data: {
      setting: geoip,
      since: await places.since(),
      route: `${pagesNamespaceOf(settings)}/geoip`,
      address: pageAddress('imports', 'geoip'),
    },
  };
}

/** All sites share one database, so only administrators can replace it. */
const mayReplace = ({ key, capabilities }: HostUser): boolean =>
  key === null && capabilities.includes('manage_options');

export const geoipRoute = ({ places, settings }: Pick<Analytics, 'places' | 'settings'>): RouteDefinition =>
  defineRoute({
    path: '/geoip',
    methods: ['POST'],
    summary: 'Stores the uploaded country database, which all imports use.',
    checkedBy: 'host',
    body: 'stream',
    permission: mayReplace,
    rateLimit: 'per-user',
    input: z.object({}),
    output: { 200: z.object({ stored: z.literal(true) }) },
    async handle(request) {
      try {
        await places.store(request.openBody(), settings.importMb);
        return { status: 200, body: { stored: true } } as const;
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        return refusal(422, 'geoip_unusable', error.message);
      }
    },
  });
