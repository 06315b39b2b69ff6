// /wp/v2/plugins: extensions as WordPress plugins. Required ones correspond to must-use plugins, which WordPress does not
// list here.
import { z } from 'zod';
import { defineRoute, type HostRequest, type Refusal, type RouteDefinition } from '../../extension-api';
import { ExtensionRefused } from '../../extensions/extension-errors';
import type { Extensions } from '../../extensions/extensions';
import type { ListedExtension } from '../../extensions/recorded-extensions';
import { hostError, refusalStatus } from '../host-error';
import { links } from './users';

/** WordPress's pattern, including its escapes: clients look up routes by the exact text of the pattern. */
const NAME_PATTERN = '[^.\\/]+(?:\\/[^.\\/]+)?';

const status = z.enum(['inactive', 'active']);
const statusInput = { status: status.optional().describe('Whether the extension is turned on.') };
const pluginInput = {
  plugin: z
    .string()
    .regex(new RegExp(`^${NAME_PATTERN}$`))
    .describe('Name of the extension.'),
};

const pluginOutput = z.object({
  plugin: z.string(),
  status,
  name: z.string(),
  plugin_uri: z.string(),
  author: z.string(),
  author_uri: z.string(),
  description: z.object({ raw: z.string(), rendered: z.string() }),
  version: z.string(),
  network_only: z.boolean(),
  requires_wp: z.string(),
  requires_php: z.string(),
  textdomain: z.string(),
  /** Not in WordPress: why an active extension is not running. */
  failure: z.string().nullable(),
  _links: z.object({ self: links }),
});

const statusOf = ({ state }: ListedExtension) => (state === 'active' ? 'active' : 'inactive');

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function pluginItem(extension: ListedExtension, { restRoot }: HostRequest): z.input<typeof pluginOutput> {
  const { name, version, description, failure } = extension;
  return {
    plugin: name,
    status: statusOf(extension),
    name,
    plugin_uri: '',
    author: '',
    author_uri: '',
    description: { raw: description, rendered: `<p>${escapeHtml(description)}</p>` },
    version,
    network_only: false,
    requires_wp: '',
    requires_php: '',
    textdomain: name,
    failure,
    _links: { self: [{ href: `${restRoot}wp/v2/plugins/${name}` }] },
  };
}

const refuseWith =
  (code: string, message: string) =>
  ({ user }: HostRequest): Refusal =>
    hostError(refusalStatus(user), code, message);

const refuseOne = refuseWith('rest_cannot_view_plugin', 'Sorry, you are not allowed to manage this plugin.');

type ManagedExtensions = Pick<Extensions, 'activate' | 'deactivate' | 'list'>;

export function pluginsRoutes(extensions: ManagedExtensions): readonly RouteDefinition[] {
  const shared = {
    permission: ({ capabilities }) => capabilities.includes('activate_plugins'),
    rateLimit: 'none',
    checkedBy: 'host',
  } as const satisfies Partial<RouteDefinition>;
  const item = { path: '/plugins/{plugin}', output: { 200: pluginOutput }, refuse: refuseOne } as const;

  const manageable = async () => (await extensions.list()).filter(({ required }) => !required);
  const find = async (name: string) => (await manageable()).find((one) => one.name === name);

  async function show(name: string, request: HostRequest) {
    const found = await find(name);
    return found === undefined
      ? hostError(404, 'rest_plugin_not_found', 'Plugin not found.')
      : ({ status: 200, body: pluginItem(found, request) } as const);
  }

  return [
    defineRoute({
      ...shared,
      path: '/plugins',
      methods: ['GET'],
      summary: 'The extensions of this host that can be turned off.',
      input: z.object({
        search: z.string().optional().describe('Part of a name or description.'),
        ...statusInput,
      }),
      output: { 200: z.array(pluginOutput) },
      refuse: refuseWith(
        'rest_cannot_view_plugins',
        'Sorry, you are not allowed to manage plugins for this site.',
      ),
      async handle(request) {
        const { search = '', status } = request.values;
        const found = (await manageable()).filter(
          (one) =>
            (status === undefined || status === statusOf(one)) &&
            `${one.name} ${one.description}`.toLowerCase().includes(search.toLowerCase()),
        );
        return { status: 200, body: found.map((one) => pluginItem(one, request)) };
      },
    }),
    defineRoute({
      ...shared,
      ...item,
      methods: ['GET'],
      summary: 'One extension.',
      input: z.object(pluginInput),
      handle: (request) => show(request.values.plugin, request),
    }),
    defineRoute({
      ...shared,
      ...item,
      methods: ['POST', 'PUT', 'PATCH'],
      summary: 'Turns an extension on or off.',
      input: z.object({ ...pluginInput, ...statusInput }),
      async handle(request) {
        const { plugin, status: wanted } = request.values;
        const found = await find(plugin);
        if (found !== undefined && wanted !== undefined && wanted !== statusOf(found)) {
          const act = wanted === 'active' ? 'activate' : 'deactivate';
          try {
            await extensions[act](plugin);
          } catch (error) {
            if (error instanceof ExtensionRefused)
              return hostError(409, `rest_cannot_${act}_plugin`, error.message);
            throw error;
          }
        }
        return show(plugin, request);
      },
    }),
  ];
}
