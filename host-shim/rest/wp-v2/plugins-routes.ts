// /wp/v2/plugins: the extensions of this host as WordPress's plugins, to be listed, turned on and turned off.

import type {
  HostRequest,
  HostResponse,
  HostUser,
  RouteArgument,
  RouteDefinition,
} from '../../extension-api';
import { ExtensionRefused } from '../../extensions/extension-errors';
import type { ListedExtension } from '../../extensions/list-extensions';
import type { HostParts } from '../../load-host';
import { hostError, refusalStatus } from '../host-error';
import { textIn } from './typed-values';

const STATUSES = ['inactive', 'active'] as const;

const STATUS: RouteArgument = {
  type: 'string',
  description: 'Whether it is turned on.',
  required: false,
  enum: STATUSES,
};

const statusOf = ({ state }: ListedExtension) => (state === 'active' ? 'active' : 'inactive');

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** WordPress's shape; `failure` is ours: why it does not run although it is on. */
function pluginItem(extension: ListedExtension, restRoot: string): object {
  const { name, version, description, failure } = extension;
  return {
    plugin: name,
    status: statusOf(extension),
    name,
    plugin_uri: '',
    author: '',
    author_uri: '',
    description: { raw: description, rendered: `<p>${escapeText(description)}</p>` },
    version,
    network_only: false,
    requires_wp: '',
    requires_php: '',
    textdomain: name,
    failure,
    _links: { self: [{ href: `${restRoot}wp/v2/plugins/${name}` }] },
  };
}

const refusal =
  (code: string, message: string) =>
  ({ user }: HostRequest): HostResponse =>
    hostError(refusalStatus(user), code, message);

const refuseList = refusal(
  'rest_cannot_view_plugins',
  'Sorry, you are not allowed to manage plugins for this site.',
);
const refuseOne = refusal('rest_cannot_view_plugin', 'Sorry, you are not allowed to manage this plugin.');

export function pluginsRoutes(parts: HostParts): readonly RouteDefinition[] {
  const shared = {
    permission: ({ capabilities }: HostUser) => capabilities.includes('activate_plugins'),
    rateLimit: 'none',
    input: 'parameters',
  } as const;
  const item = { path: '/plugins/{plugin}', params: { plugin: '[^.\\/]+(?:\\/[^.\\/]+)?' } } as const;

  async function find({ params }: HostRequest): Promise<ListedExtension | undefined> {
    const extensions = await parts.extensions().list();
    return extensions.find(({ name }) => name === params.plugin);
  }

  async function show(request: HostRequest): Promise<HostResponse> {
    const found = await find(request);
    if (found === undefined) return hostError(404, 'rest_plugin_not_found', 'Plugin not found.');
    return { status: 200, body: pluginItem(found, request.restRoot) };
  }

  async function change(request: HostRequest): Promise<HostResponse> {
    const found = await find(request);
    const wanted = textIn(request.values, 'status');
    if (found === undefined || wanted === undefined || wanted === statusOf(found)) return show(request);
    const act = wanted === 'active' ? 'activate' : 'deactivate';
    try {
      await parts.extensions()[act](found.name);
    } catch (error) {
      if (error instanceof ExtensionRefused)
        return hostError(409, `rest_cannot_${act}_plugin`, error.message);
      throw error;
    }
    return show(request);
  }

  return [
    {
      ...shared,
      path: '/plugins',
      methods: ['GET'],
      summary: 'The extensions of this host.',
      args: {
        search: { type: 'string', description: 'Part of a name or description.', required: false },
        status: STATUS,
      },
      refuse: refuseList,
      async handle({ values, restRoot }) {
        const search = textIn(values, 'search')?.toLowerCase() ?? '';
        const status = textIn(values, 'status');
        const found = (await parts.extensions().list()).filter(
          (extension) =>
            (status === undefined || status === statusOf(extension)) &&
            `${extension.name} ${extension.description}`.toLowerCase().includes(search),
        );
        return { status: 200, body: found.map((extension) => pluginItem(extension, restRoot)) };
      },
    },
    {
      ...shared,
      ...item,
      methods: ['GET'],
      summary: 'One extension.',
      args: {},
      refuse: refuseOne,
      handle: show,
    },
    {
      ...shared,
      ...item,
      methods: ['POST', 'PUT', 'PATCH'],
      summary: 'Turns an extension on or off.',
      args: { status: STATUS },
      refuse: refuseOne,
      handle: change,
    },
  ];
}
