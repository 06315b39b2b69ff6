import { type AdminAnswer, type AdminPage, ask, PageError, pageAddress } from '../../extension-api';
import { ExtensionRefused, staysOn } from '../../extensions/extension-errors';
import type { Extensions } from '../../extensions/extensions';

const SLUG = 'extensions';
const ADDRESS = pageAddress(SLUG);

type ManagedExtensions = Pick<Extensions, 'list' | Change>;

type Change = 'activate' | 'deactivate' | 'uninstall';

const DONE: Readonly<Record<Change, (name: string) => string>> = {
  activate: (name) => `${name} is on.`,
  deactivate: (name) => `${name} is off. Its settings are kept.`,
  uninstall: (name) => `${name} is uninstalled.`,
};

/** Changes that need confirmation on a separate page, such as /wp-admin/extensions/deactivate/greeting. */
const QUESTIONS = {
  deactivate: {
    button: 'Deactivate',
    about: 'Its pages and routes disappear immediately, for all users. Its settings are kept.',
  },
  uninstall: {
    button: 'Uninstall',
    about: 'Its settings and records are deleted; this cannot be undone. Collected data is kept.',
  },
} as const;

const isQuestion = (word: string | undefined): word is keyof typeof QUESTIONS =>
  word !== undefined && Object.hasOwn(QUESTIONS, word);

export function extensionsPage(extensions: ManagedExtensions): AdminPage {
  const show = async (fault: string | null): Promise<AdminAnswer> => ({
    kind: 'page',
    status: fault === null ? 200 : 409,
    view: 'host-shim/admin/views/extensions',
    data: { fault, extensions: await extensions.list() },
  });

  async function apply(change: Change, name: string): Promise<AdminAnswer> {
    try {
      await extensions[change](name);
    } catch (error) {
      if (error instanceof ExtensionRefused) return show(error.message);
      throw error;
    }
    return { kind: 'redirect', to: ADDRESS, notice: DONE[change](name) };
  }

  async function askAbout(change: keyof typeof QUESTIONS, name: string): Promise<AdminAnswer> {
    const found = (await extensions.list()).find((one) => one.name === name);
    if (found === undefined) throw new PageError(404, `There is no extension ${name}.`);
    if (found.required) return show(staysOn(name));
    const { button, about } = QUESTIONS[change];
    return ask({ title: `${button} ${name}`, about, button: `${button} ${name}`, cancel: ADDRESS });
  }

  return {
    slug: SLUG,
    title: 'Extensions',
    howTo: 'extensions',
    group: 'Installation',
    position: 40,
    capability: 'activate_plugins',
    takes: { words: 2, post: true },
    async handle({ method, form, words }) {
      const [change, name] = words;
      if (change === undefined && method === 'GET') return show(null);
      if (change === undefined) {
        if (form.get('action') !== 'activate')
          throw new PageError(
            400,
            'This form can only activate an extension; use the links to deactivate or uninstall one.',
          );
        return apply('activate', form.get('name') ?? '');
      }
      if (!isQuestion(change) || name === undefined) throw new PageError(404, 'There is no such page.');
      return method === 'POST' ? apply(change, name) : askAbout(change, name);
    },
  };
}
