import { type AdminPage, type HostUser, type MenuGroup, PageError } from '../extension-api';

interface MenuSection {
  readonly group: MenuGroup;
  readonly pages: readonly AdminPage[];
}

export interface PageRegistry {
  /** Throws if the slug is taken or invalid. */
  add(page: AdminPage): void;
  find(slug: string): AdminPage | undefined;
  /** The pages that this user may open. Empty sections are omitted. */
  menuOf(user: HostUser): readonly MenuSection[];
}

const SLUG = /^[a-z][a-z0-9-]*(\.php)?$/;
const GROUPS: readonly MenuGroup[] = ['Data', 'Installation', 'Account'];

export const maySee = (user: HostUser, page: AdminPage): boolean =>
  page.capability === null || user.capabilities.includes(page.capability);

/** Returns an error if the page does not accept this method or these path segments. */
export function refuseUnsupported(
  { takes = {} }: AdminPage,
  method: string,
  words: readonly string[],
): PageError | undefined {
  if (words.length > (takes.words ?? 0)) return new PageError(404, 'There is no such page.');
  if (method === 'POST' && takes.post !== true)
    return new PageError(400, 'This page does not accept forms; nothing was changed.');
  return undefined;
}

export function createPageRegistry(): PageRegistry {
  const pages: AdminPage[] = [];
  return {
    add(page) {
      if (!SLUG.test(page.slug))
        throw new Error(`The page ${JSON.stringify(page.slug)} has an invalid slug.`);
      if (pages.some(({ slug }) => slug === page.slug))
        throw new Error(`The page ${page.slug} is registered twice.`);
      pages.push(page);
    },
    find: (slug) => pages.find((page) => page.slug === slug),
    menuOf: (user) =>
      GROUPS.map((group) => ({
        group,
        pages: pages
          .filter((page) => page.group === group && maySee(user, page))
          .sort((one, other) => one.position - other.position),
      })).filter((section) => section.pages.length > 0),
  };
}
