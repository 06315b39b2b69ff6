// The site and version menus. They load the matching catalog, and the site menu follows the query text.

import type { Catalogue } from '../../shared-types/catalogue';
import { fetchAs, messageOf } from '../shared/rest';
import { isObject } from '../shared/rest-answer';
import { siteIn } from './query-text';
import { pagesRoute } from './question';

interface SiteChoiceParts {
  readonly site: HTMLSelectElement;
  readonly version: HTMLSelectElement;
  onKnown(catalogue: Catalogue): void;
  /** Called with the reason why there is no catalog, as a sentence. */
  onUnknown(sentence: string): void;
}

const ALL = 'all';

export function choose({ options }: HTMLSelectElement, value: string): void {
  const option = [...options].find((one) => one.value === value);
  if (option !== undefined) option.selected = true;
}

const isCatalogue = (body: unknown): body is Catalogue =>
  isObject(body) && 'materials' in body && 'examples' in body;

export function createSiteChoice({ site, version, onKnown, onUnknown }: SiteChoiceParts) {
  const catalogues = new Map<string, Catalogue>();
  let current: Catalogue | undefined;

  async function fetchCatalogue(args: Readonly<Record<string, string>>): Promise<Catalogue> {
    const route = pagesRoute('catalogue', args);
    const known = catalogues.get(route);
    if (known !== undefined) return known;
    const fetched = await fetchAs(isCatalogue, route);
    catalogues.set(route, fetched);
    return fetched;
  }

  function offerAllSites(): void {
    const all = [...site.options].find(({ value }) => value === ALL);
    if (all === undefined) return;
    all.disabled = version.selectedOptions[0]?.dataset.allSites !== 'true';
    all.hidden = all.disabled;
  }

  return {
    /** All options except "all". */
    sites: [...site.options]
      .filter(({ value }) => value !== ALL)
      .map(({ value, dataset }) => ({ tracking_id: value, name: dataset.name ?? value })),
    catalogue: (): Catalogue | undefined => current,
    /** Fetches the catalog for the current choice. */
    async load(): Promise<void> {
      offerAllSites();
      const wanted = { tracking_id: site.value, version: version.value };
      const isStillWanted = () => site.value === wanted.tracking_id && version.value === wanted.version;
      try {
        const found = await fetchCatalogue(wanted);
        if (!isStillWanted()) return;
        current = found;
        onKnown(found);
      } catch (error) {
        if (!isStillWanted()) return;
        current = undefined;
        onUnknown(messageOf(error));
      }
    },
    /** Chooses the site named in the text, if available. Returns whether the choice changed. */
    follow(text: string): boolean {
      const before = site.value;
      choose(site, siteIn(text) ?? before);
      return site.value !== before;
    },
  };
}
