// The parts of the page that the modules of the playground work with, found once.
import type { CatalogueSite } from './catalogue';
import { byId } from './elements';

export interface PageParts {
  readonly site: HTMLSelectElement;
  readonly version: HTMLSelectElement;
  readonly example: HTMLSelectElement;
  readonly textarea: HTMLTextAreaElement;
  readonly run: HTMLButtonElement;
  readonly stop: HTMLButtonElement;
  readonly fault: HTMLElement;
  /** Each site alone, without "all". */
  readonly sites: readonly CatalogueSite[];
  /** Of the styles of the editor. */
  readonly nonce: string;
  /** Shows a sentence below the editor; an empty one takes the last away. */
  say(sentence: string): void;
  onClick(id: string, act: () => void): void;
}

/** Throws when the page lacks one. */
export function findPageParts(): PageParts {
  const site = byId('site', HTMLSelectElement);
  const said = byId('said', HTMLElement);
  return {
    site,
    version: byId('version', HTMLSelectElement),
    example: byId('example', HTMLSelectElement),
    textarea: byId('query', HTMLTextAreaElement),
    run: byId('run', HTMLButtonElement),
    stop: byId('stop', HTMLButtonElement),
    fault: byId('fault', HTMLElement),
    sites: [...site.options]
      .filter(({ value }) => value !== 'all')
      .map(({ value, dataset }) => ({ tracking_id: value, name: dataset.name ?? value })),
    nonce: document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '',
    say(sentence) {
      said.textContent = sentence;
    },
    onClick: (id, act) => byId(id, HTMLButtonElement).addEventListener('click', act),
  };
}
