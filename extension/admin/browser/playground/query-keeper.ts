// Decides when the text of the editor is kept: a query that a link brought is not, until somebody changes it.
// Till then it stays in the address, and the draft that was kept before is still there.
import { forgetAddress, type KeptQuery, keep } from './kept-query';

const KEEP_AFTER_MS = 300;

export interface QueryKeeper {
  /** Keeps what was changed, and takes a text for one that a link brought. */
  opened(text: string): void;
  /** The text was changed; `then` follows once nobody has typed for a moment. */
  changed(then: () => void): void;
  keepNow(): void;
}

/** `current` gives the query as it stands. */
export function makeKeeper(login: string, current: () => KeptQuery): QueryKeeper {
  let brought: string | undefined;
  let isChanged = false;
  let timer: number | undefined;
  const keepNow = () => {
    if (brought === undefined && isChanged) keep(login, current());
  };
  return {
    keepNow,
    opened(text) {
      keepNow();
      isChanged = false;
      brought = text;
    },
    changed(then) {
      isChanged = true;
      if (brought !== undefined && brought !== current().text) {
        brought = undefined;
        forgetAddress();
      }
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        keepNow();
        then();
      }, KEEP_AFTER_MS);
    },
  };
}
