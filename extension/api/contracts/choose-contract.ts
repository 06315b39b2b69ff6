// The installed contracts, and the choice of the one that a request runs under.
import type { Contract as ContractRules, Manifest } from '../../../manifests/reader/manifest';
import { queryError } from '../../language/errors/query-error';
import { format20251020 } from './2025-10-20';
import { format20260511 } from './2026-05-11';
import type { InstalledContract, ResponseFormat } from './contract';
import type { BodyOf, INVALID_VERSION } from './response-parts';

const FORMATS: Readonly<Record<string, (rules: ContractRules) => ResponseFormat>> = {
  '2025-10-20': format20251020,
  '2026-05-11': () => format20260511,
};

/** The contracts of this installation, the oldest first. Throws when the format of one is not written. */
export function installedContracts(manifest: Manifest): readonly InstalledContract[] {
  return [...manifest.contracts.values()].map((rules) => {
    const format = FORMATS[rules.version]?.(rules);
    if (format === undefined) {
      throw new Error(`The contract ${rules.version} has a manifest but no response format.`);
    }
    return { version: rules.version, rules, format };
  });
}

/**
 * The contract named by `latest`, `oldest` or its date; `defaultVersion` where a request names none. Throws the QueryError
 * invalid_version (404) for anything else.
 */
export function chooseContract(
  contracts: readonly InstalledContract[],
  requested: string | undefined,
  defaultVersion: string,
): InstalledContract {
  const wanted = requested ?? defaultVersion;
  const named = new Map([
    ['latest', contracts.at(-1)],
    ['oldest', contracts[0]],
  ]);
  const chosen = contracts.find(({ version }) => version === wanted) ?? named.get(wanted);
  if (chosen === undefined) throw invalidVersion(contracts, wanted);
  return chosen;
}

function invalidVersion(contracts: readonly InstalledContract[], received: string) {
  const available = contracts.map(({ version }) => version);
  return queryError('invalid_version', 'version', { received, available });
}

/** The body of invalid_version, in the shapes of all contracts at once. */
export function invalidVersionBody(
  contracts: readonly InstalledContract[],
  requested: string,
): BodyOf<typeof INVALID_VERSION> {
  const { message, hint } = invalidVersion(contracts, requested);
  const code = 'invalid_version';
  const details = { available_versions: contracts.map(({ version }) => version) };
  return {
    ok: false,
    error: { code, message, at: 'version', hint, details },
    code,
    message,
    data: { status: 404, ...details },
  };
}
