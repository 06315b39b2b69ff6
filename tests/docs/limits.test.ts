// The limits page lists every limit of the contract and every setting that is a limit, with the numbers from the source code.
import { limitGroups } from '../../docs/limits/limit-groups';
import { sourceConstant, sourceText } from '../../docs/limits/source-constant';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';
import { headContract } from '../../manifests/reader/catalog';
import { loadManifest } from '../../manifests/reader/manifest';

/** Numeric settings that do not limit users. */
const NOT_LIMITS = [
  'PORT',
  'HEALTH_PORT',
  'QAL_BACKUPS_DAILY',
  'QAL_BACKUPS_WEEKLY',
  'QAL_BACKUPS_MONTHLY',
  'QAL_COLUMNS_AUDIT_HOURS',
  'QAL_COLUMNS_SHADOW',
  'QAL_COLUMNS_THREADS',
];

const manifest = loadManifest();
const limits = limitGroups(manifest).flatMap((group) => group.limits);

test('every numeric setting that is a limit is on the page', () => {
  const numbers = listSettings(PRODUCT.extensions).filter(({ shape }) =>
    shape.description?.startsWith('a whole number'),
  );
  const named = limits.flatMap(({ settings }) => settings);
  expect([...new Set([...named, ...NOT_LIMITS])].sort()).toEqual(
    numbers.map(({ variable }) => variable).sort(),
  );
});

test('every limit in the contract is on the page', () => {
  const head = headContract(manifest);
  const names = Object.entries(head.limits).flatMap(([name, value]) => (value === null ? [] : [name]));
  const marked = Object.fromEntries(names.map((name, index) => [name, 700_001 + index]));
  const changed = { ...head, limits: { ...head.limits, ...marked } };
  const contracts = new Map([...manifest.contracts, [head.version, changed]]);
  const shown = new Set(
    limitGroups({ ...manifest, contracts }).flatMap((group) => group.limits.map(({ max }) => max)),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !shown.has(Number(marked[name]).toLocaleString('en')))).toEqual([]);
});

test('a number that is not in the source code is reported', () => {
  expect(() => sourceConstant('host-shim/rest/read-body.ts', 'NO_SUCH_LIMIT')).toThrow('NO_SUCH_LIMIT');
  expect(() => sourceConstant('host-shim/rest/open-body.ts', 'PATIENCE', 'noSuch')).toThrow(
    'PATIENCE.noSuch',
  );
  expect(() => sourceText('host-shim/accounts/account-fields.ts', '.max(255,', 255)).toThrow('.max(255,');
});
