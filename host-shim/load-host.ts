// The host's own routes and pages, and the extensions on top of them: what one process serves.

import { hostPages } from './admin/pages/pages';
import type { Config } from './config';
import type { Extension, HostTools } from './extension-api';
import { type Extensions, loadExtensions } from './extensions/load-extensions';
import { hostNamespaces } from './rest/wp-v2/namespaces';

export interface HostOptions extends HostTools {
  readonly installed: readonly Extension[];
  /** As they were read at the start; the page "System" tells the limits among them. */
  readonly settings: Config;
}

/** What the host's own routes and pages work with. `extensions` is there once everything is loaded. */
export interface HostParts extends HostTools {
  readonly settings: Config;
  extensions(): Extensions;
}

/** Loads everything that is registered. */
export async function loadHost({ installed, settings, ...tools }: HostOptions): Promise<Extensions> {
  let loaded: Extensions | undefined;
  const parts: HostParts = {
    ...tools,
    settings,
    extensions() {
      if (loaded === undefined) throw new Error('The extensions are still being loaded.');
      return loaded;
    },
  };
  loaded = await loadExtensions({
    ...tools,
    installed,
    builtIn: { namespaces: hostNamespaces(parts), pages: hostPages(parts) },
  });
  return loaded;
}
