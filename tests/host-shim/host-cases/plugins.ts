// Extensions as WordPress plugins. rest-accounts.test.ts turns them off and on.
import type { HostCase } from '../host-case';

const PLUGINS = '/wp-json/wp/v2/plugins';
const TOY = {
  plugin: 'toy',
  status: 'active',
  name: 'toy',
  plugin_uri: '',
  author: '',
  author_uri: '',
  description: { raw: 'A toy.', rendered: '<p>A toy.</p>' },
  version: '1.0.0',
  network_only: false,
  requires_wp: '',
  requires_php: '',
  textdomain: 'toy',
  failure: null,
  _links: { self: [{ href: '{root}wp/v2/plugins/toy' }] },
};
const ATLAS = {
  plugin: 'atlas',
  version: '0.9.0',
  description: { raw: 'Sites & <places>.', rendered: '<p>Sites &amp; &lt;places&gt;.</p>' },
};
const NOT_FOUND = { code: 'rest_plugin_not_found', message: 'Plugin not found.', data: { status: 404 } };

const cases: readonly Omit<HostCase, 'line'>[] = [
  { label: 'the list', path: PLUGINS, as: 'root', status: 200, json: [TOY, ATLAS] },
  {
    label: 'the list of active extensions',
    path: `${PLUGINS}?status=active`,
    as: 'root',
    status: 200,
    json: [TOY, ATLAS],
  },
  {
    label: 'the list of inactive extensions',
    path: `${PLUGINS}?status=inactive`,
    as: 'root',
    status: 200,
    whole: [],
  },
  { label: 'a search', path: `${PLUGINS}?search=A%20TOY`, as: 'root', status: 200, whole: [TOY] },
  {
    label: 'a search without matches',
    path: `${PLUGINS}?search=weather`,
    as: 'root',
    status: 200,
    whole: [],
  },
  { label: 'one extension', path: `${PLUGINS}/toy`, as: 'root', status: 200, whole: TOY },
  { label: 'an unknown name', path: `${PLUGINS}/weather`, as: 'root', status: 404, whole: NOT_FOUND },
  {
    label: 'a name in WordPress’s format',
    path: `${PLUGINS}/weather/weather`,
    as: 'root',
    status: 404,
    whole: NOT_FOUND,
  },
  {
    label: 'activating an active extension',
    method: 'PUT',
    path: `${PLUGINS}/toy`,
    as: 'root',
    body: { status: 'active' },
    status: 200,
    whole: TOY,
  },
  {
    label: 'an invalid status',
    method: 'POST',
    path: `${PLUGINS}/toy`,
    as: 'root',
    body: { status: 'asleep' },
    status: 400,
    json: {
      code: 'rest_invalid_param',
      data: { params: { status: 'status is not one of inactive and active.' } },
    },
  },
  {
    label: 'the list without permission',
    path: PLUGINS,
    as: 'ann',
    status: 403,
    json: { code: 'rest_cannot_view_plugins', data: { status: 403 } },
  },
  {
    label: 'the list without credentials',
    path: PLUGINS,
    status: 401,
    json: { code: 'rest_cannot_view_plugins', data: { status: 401 } },
  },
  {
    label: 'turning an extension off without permission',
    method: 'PUT',
    path: `${PLUGINS}/toy`,
    as: 'ann',
    body: { status: 'inactive' },
    status: 403,
    json: { code: 'rest_cannot_view_plugin', data: { status: 403 } },
  },
];

export const pluginCases: readonly HostCase[] = cases.map((one): HostCase => ({ ...one, line: 11 }));
