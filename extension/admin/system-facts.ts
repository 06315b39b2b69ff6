// Owns the lines of the extension on the page "System": versions, settings and limits. Nothing in them is a secret.
import { type Analytics, currentContracts } from '../analytics';
import type { Contract } from '../contracts/contract';
import type { CacheUse } from '../result-cache/result-cache';
import { type CountedSite, countedSites } from '../storage/sites/list-sites';

type Fact = readonly [title: string, text: string];

const countOf = (count: number | null): string => (count === null ? 'none' : count.toLocaleString('en'));

const limitsOf = ({ version, rules: { limits } }: Contract): Fact => [
  `Limits of contract ${version}`,
  `at most ${countOf(limits.max_rows)} rows, ${countOf(limits.default_rows)} unless asked; inline cap ${countOf(limits.max_inline_rows)}`,
];

function switchedOffIn(contracts: readonly Contract[], before: readonly Contract[]): readonly string[] {
  const off = contracts.flatMap(({ rules }, place) =>
    [...rules.features].filter(
      ([name, { enabled }]) => !enabled && before[place]?.rules.features.get(name)?.enabled === true,
    ),
  );
  return [...new Set(off.map(([name]) => name))];
}

const MEGABYTE = 2 ** 20;

/** Since this process started. */
const keptResults = ({ results, bytes, mostBytes, asked, found }: CacheUse): string =>
  mostBytes === 0
    ? 'off'
    : `${countOf(results)} in ${(bytes / MEGABYTE).toFixed(1)} of ${countOf(mostBytes / MEGABYTE)} MB; ${countOf(found)} of ${countOf(asked)} queries answered from them`;

function sitesWithCounts(sites: readonly CountedSite[]): string {
  const counted = sites.filter((site) => site.counted).length;
  const all = `${countOf(counted)} of ${countOf(sites.length)} sites with page views`;
  return counted === sites.length
    ? all
    : `${all}; queries of the others read their rows. To make the counts: qal rollups rebuild`;
}

/** As they stand at this moment. */
export async function systemFacts(analytics: Analytics): Promise<readonly Fact[]> {
  const { host, settings, version, manifest, zones } = analytics;
  const contracts = await currentContracts(analytics);
  const off = switchedOffIn(contracts, analytics.contracts);
  return [
    ['Analytics version', version],
    ['REST namespace', settings.namespace],
    [
      'Contracts',
      `${contracts.map((contract) => contract.version).join(', ')}; without a version: ${settings.defaultVersion}`,
    ],
    ['Envelope of answers', settings.responseEnvelope],
    ['Materials', String(manifest.materials.size)],
    ['Features switched off', off.join(', ') || 'none'],
    ['Time limit of a query', `${settings.queryTimeoutSeconds} s`],
    ['Kept counts answer queries', settings.rollups ? 'yes' : 'no'],
    ['Sites with kept counts', sitesWithCounts(await countedSites(host.database.read))],
    ['Kept results', keptResults(analytics.results.use())],
    ...contracts.map(limitsOf),
    ['Time zones', countOf(zones.size)],
  ];
}
