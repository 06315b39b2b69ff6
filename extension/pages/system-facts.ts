// The extension's part of the "System" page: versions, settings and limits, none of which are secret.
import { formatCount } from '../../host-shim/extension-api';
import { type Analytics, currentContracts } from '../api/analytics';
import { reachableStates } from '../data/storage/sites/site-states';
import type { Contract } from '../language/types/contract';
import { describeCopy } from '../query/columns/columns-status';
import type { CacheUse } from '../query/result-cache/result-cache';

type Fact = readonly [title: string, text: string];

const limitOf = (count: number | null): string => (count === null ? 'none' : formatCount(count));

const limitsOf = ({ version, rules: { limits } }: Contract): Fact => [
  `Limits of API version ${version}`,
  `at most ${limitOf(limits.max_rows)} rows, default ${limitOf(limits.default_rows)}; at most ${limitOf(limits.max_inline_rows)} inline`,
];

function switchedOffIn(contracts: readonly Contract[], initial: readonly Contract[]): readonly string[] {
  const off = contracts.flatMap(({ rules }, index) =>
    [...rules.features].filter(
      ([name, { enabled }]) => !enabled && initial[index]?.rules.features.get(name)?.enabled === true,
    ),
  );
  return [...new Set(off.map(([name]) => name))];
}

const MEGABYTE = 2 ** 20;

/** Describes how the cache has been used since the process started. */
const cachedResults = ({ results, bytes, maxBytes, requested, found }: CacheUse): string =>
  maxBytes === 0
    ? 'off'
    : `${formatCount(results)} in ${(bytes / MEGABYTE).toFixed(1)} of ${formatCount(maxBytes / MEGABYTE)} MB; ${formatCount(found)} of ${formatCount(requested)} queries answered from the cache`;

export async function systemFacts(analytics: Analytics): Promise<readonly Fact[]> {
  const { settings, version, manifest } = analytics;
  const contracts = await currentContracts(analytics);
  const off = switchedOffIn(contracts, analytics.contracts);
  return [
    ['Analytics version', version],
    ['REST namespace', settings.namespace],
    [
      'API versions',
      `${contracts.map((contract) => contract.version).join(', ')}; default: ${settings.defaultVersion}`,
    ],
    ['Response envelope', settings.responseEnvelope],
    ['Datasets', String(manifest.materials.size)],
    ['Features switched off', off.join(', ') || 'none'],
    ['Time limit for a query', `${settings.queryTimeoutSeconds} s`],
    ['Cached results', cachedResults(analytics.results.use())],
    ...contracts.map(limitsOf),
    ['Time zones', formatCount((await analytics.zones()).size)],
  ];
}

/** The section on the columnar copy. */
export async function columnFacts({
  columns,
  host,
  workers,
}: Pick<Analytics, 'columns' | 'host' | 'workers'>): Promise<readonly Fact[]> {
  const status = await columns()?.status();
  if (status === undefined) return [['State', 'off']];
  const present = await reachableStates({ database: host.database.read, workers });
  return describeCopy(status, present, host.clock().getTime() / 1000, workers.away);
}
