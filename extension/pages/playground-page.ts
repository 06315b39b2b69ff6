// The "Playground" page. It lists sites and contracts; its script loads everything else.
import { type AdminPage, PageError } from '../../host-shim/extension-api';
import { type Analytics, currentContracts } from '../api/analytics';
import { chooseContract } from '../api/contracts/choose-contract';
import { permittedSites } from '../data/storage/sites/list-sites';
import { QueryError } from '../language/errors/query-error';
import { isEnabled } from '../language/types/contract';

export const playgroundPage = (analytics: Analytics): AdminPage => ({
  slug: 'playground',
  title: 'Playground',
  howTo: 'pages',
  group: 'Data',
  position: 10,
  capability: 'read',
  async handle({ query, user }) {
    const { contracts, settings, host } = analytics;
    const chosen = chosenVersion(analytics, query.version);
    const sites = await permittedSites(host.database.read, user.sites);
    const allow = new Set(
      (await currentContracts(analytics))
        .filter((contract) => sites.length > 1 && isEnabled(contract, 'materials_supports_all'))
        .map(({ version }) => version),
    );
    return {
      kind: 'page',
      view: 'extension/pages/views/playground',
      data: {
        sites,
        canAskAll: allow.size > 0,
        versions: contracts.map(({ version }) => ({ version, all: allow.has(version) })).reverse(),
        chosen,
        namespace: settings.namespace,
        login: user.login,
        may: user.capabilities,
      },
      scripts: ['extension/playground'],
      styles: ['extension/extension'],
    };
  },
});

function chosenVersion(
  { contracts, settings }: Pick<Analytics, 'contracts' | 'settings'>,
  requested: string | undefined,
): string {
  try {
    return chooseContract(contracts, requested, settings.defaultVersion).version;
  } catch (error) {
    if (error instanceof QueryError) throw new PageError(404, error.message);
    throw error;
  }
}
