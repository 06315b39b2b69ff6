// Owns the choice of the contract that a request runs under.
// `version` parameter -> Contract; what is neither a name nor an installed version is 404 invalid_version.
import type { Contract as ContractRules, Manifest } from '../../manifests/reader/manifest';
import { queryError } from '../errors/query-error';
import { wire20251020 } from './2025-10-20';
import { wire20260511 } from './2026-05-11';
import type { Contract, Wire } from './contract';

const WIRES: Readonly<Record<string, (rules: ContractRules) => Wire>> = {
  '2025-10-20': wire20251020,
  '2026-05-11': () => wire20260511,
};

/** The contracts of this installation, the oldest first. Throws when a manifest has no spelling here. */
export function installedContracts(manifest: Manifest): readonly Contract[] {
  return [...manifest.contracts.values()].map((rules) => {
    const wire = WIRES[rules.version]?.(rules);
    if (wire === undefined) throw new Error(`The contract ${rules.version} has a manifest but no answers.`);
    return { version: rules.version, rules, wire };
  });
}

/** Chooses by `latest`, `oldest` or a date; a missing parameter means the server's default. */
export function chooseContract(
  contracts: readonly Contract[],
  requested: string | undefined,
  defaultVersion: string,
): Contract {
  const wanted = requested ?? defaultVersion;
  const named = new Map([
    ['latest', contracts.at(-1)],
    ['oldest', contracts[0]],
  ]);
  const chosen = contracts.find(({ version }) => version === wanted) ?? named.get(wanted);
  if (chosen !== undefined) return chosen;
  const available = contracts.map(({ version }) => version);
  throw queryError('invalid_version', 'version', { received: wanted, available });
}

/** The body of invalid_version: the caller's shape is unknown, so it satisfies both. */
export function invalidVersionBody(contracts: readonly Contract[], requested: string): unknown {
  const available = contracts.map(({ version }) => version);
  const error = queryError('invalid_version', 'version', { received: requested, available });
  const { code, message, hint, details, status } = error;
  return {
    ok: false,
    error: { code, message, at: 'version', hint, details },
    code,
    message,
    data: { status, available_versions: available },
  };
}
