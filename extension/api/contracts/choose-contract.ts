// Lists the installed contracts and chooses the one for a request.
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

/** Oldest first. */
export function installedContracts(manifest: Manifest): readonly InstalledContract[] {
  return [...manifest.contracts.values()].map((rules) => {
    const format = FORMATS[rules.version]?.(rules);
    if (format === undefined)
      throw new Error(`The contract ${rules.version} has a manifest but no response format.`);
    return { version: rules.version, rules, format };
  });
}

/** A contract is requested as `latest`, `oldest` or its date. Throws the QueryError invalid_version (404) for anything else. */
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

/** A response body that matches the error schemas of all contracts. */
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
