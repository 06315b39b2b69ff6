// What is known of the site and contract that are chosen: fetched when either changes, forgotten when it cannot be had.
// The chooser of sites follows the text, and offers all sites only under a contract that has them.
import type { CatalogueSite } from './catalogue';
import { type Completion, complete } from './completion';
import { type KnownSite, knownSite } from './known-site';
import { siteIn } from './site-in-text';

export interface SiteChoice {
  readonly namespace: string;
  readonly site: HTMLSelectElement;
  readonly version: HTMLSelectElement;
  /** Those that a query may name. */
  readonly sites: readonly CatalogueSite[];
  onKnown(known: KnownSite): void;
  /** With a sentence why nothing is known. */
  onUnknown(sentence: string): void;
}

export interface SiteKnowledge {
  /** Undefined until it is there. */
  current(): KnownSite | undefined;
  learn(): Promise<void>;
  /** What can be written at an offset; null while nothing is known. */
  complete(text: string, offset: number): Completion | null;
  /** Shows the site that the text names, where that is one of the person's; says whether that is another one. */
  showSiteOf(text: string): boolean;
}

const ALL = 'all';

function offerAllSites({ site, version }: SiteChoice): void {
  const all = [...site.options].find(({ value }) => value === ALL);
  if (all === undefined) return;
  const isOffered = version.selectedOptions[0]?.dataset.allSites === 'true';
  all.disabled = !isOffered;
  all.hidden = !isOffered;
}

export function makeSiteKnowledge(choice: SiteChoice): SiteKnowledge {
  const { namespace, site, version, sites } = choice;
  let known: KnownSite | undefined;
  return {
    current: () => known,
    complete(text, offset) {
      if (known === undefined) return null;
      const { checker, catalogue } = known;
      return complete(text, offset, { schema: checker.schema, catalogue, sites });
    },
    async learn() {
      offerAllSites(choice);
      const [wantedSite, wantedVersion] = [site.value, version.value];
      const isWanted = () => site.value === wantedSite && version.value === wantedVersion;
      try {
        const found = await knownSite(namespace, wantedSite, wantedVersion);
        if (!isWanted()) return;
        known = found;
        choice.onKnown(found);
      } catch (failure) {
        if (!isWanted()) return;
        known = undefined;
        choice.onUnknown(failure instanceof Error ? failure.message : '');
      }
    },
    showSiteOf(text) {
      const named = siteIn(text);
      const isOther = named !== site.value && [...site.options].some(({ value }) => value === named);
      if (isOther && named !== undefined) site.value = named;
      return isOther;
    },
  };
}
