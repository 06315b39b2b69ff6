// The page "Extensions": how each stands, and the buttons that turn it on, off, and away; the last two ask first.
// It is a page of the host, so it is there also when no extension is.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../extension-api';
import { ExtensionRefused } from '../../extensions/extension-errors';
import type { Extensions } from '../../extensions/load-extensions';
import type { HostParts } from '../../load-host';
import { askFirst } from './question';

const SLUG = 'extensions';
const ADDRESS = pageAddress(SLUG);

type Change = 'activate' | 'deactivate' | 'uninstall';

const DONE: Readonly<Record<Change, (name: string) => string>> = {
  activate: (name) => `${name} is on.`,
  deactivate: (name) => `${name} is off. Its settings are kept.`,
  uninstall: (name) => `${name} is uninstalled.`,
};

/** Those that are asked about first, on a page of their own: /wp-admin/extensions/deactivate/qal-analytics. */
const QUESTIONS = {
  deactivate: {
    button: 'Deactivate',
    about: 'Its pages and routes are gone at once, for everybody. Its settings are kept.',
  },
  uninstall: {
    button: 'Uninstall',
    about:
      'The settings and records that it keeps of its own are removed; this cannot be undone. What was measured stays.',
  },
} as const;

const isQuestion = (word: string | undefined): word is keyof typeof QUESTIONS =>
  word !== undefined && Object.hasOwn(QUESTIONS, word);

async function show(extensions: Extensions, fault: string | null): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: fault === null ? 200 : 409,
    view: 'host-shim/admin/views/extensions',
    data: { fault, extensions: await extensions.list() },
  };
}

async function make(extensions: Extensions, change: Change, name: string): Promise<AdminAnswer> {
  try {
    await extensions[change](name);
  } catch (error) {
    if (error instanceof ExtensionRefused) return show(extensions, error.message);
    throw error;
  }
  return { kind: 'redirect', to: ADDRESS, notice: DONE[change](name) };
}

async function ask(
  extensions: Extensions,
  change: keyof typeof QUESTIONS,
  name: string,
): Promise<AdminAnswer> {
  const known = (await extensions.list()).some((one) => one.name === name);
  if (!known) throw new PageError(404, `There is no extension ${name}.`);
  const { button, about } = QUESTIONS[change];
  return askFirst({ title: `${button} ${name}`, about, button: `${button} ${name}`, cancel: ADDRESS });
}

function onList(extensions: Extensions, { method, form }: AdminRequest): Promise<AdminAnswer> {
  if (method === 'GET') return show(extensions, null);
  if (form.get('action') !== 'activate')
    throw new PageError(400, 'Here an extension is activated; the links deactivate and uninstall it.');
  return make(extensions, 'activate', form.get('name') ?? '');
}

export const extensionsPage = (parts: HostParts): AdminPage => ({
  slug: SLUG,
  title: 'Extensions',
  group: 'Installation',
  position: 40,
  capability: 'activate_plugins',
  takes: { words: 2, post: true },
  async handle(request) {
    const extensions = parts.extensions();
    const [change, name] = request.words;
    if (change === undefined) return onList(extensions, request);
    if (!isQuestion(change) || name === undefined) throw new PageError(404, 'There is no such page.');
    return request.method === 'POST' ? make(extensions, change, name) : ask(extensions, change, name);
  },
});
