// Documents that follow from contracts alone: built when they are first asked for, and again when a feature is switched.
import { createHash } from 'node:crypto';
import type { HostResponse } from '../../../host-shim/extension-api';
import type { InstalledContract } from '../contracts/contract';

/** An answer with the ETag of its body, by which the host answers If-None-Match. */
function withTag(body: unknown): HostResponse {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
  return { status: 200, headers: { ETag: `"${digest}"` }, body };
}

/** A contract is another object after each switch. */
export function builtByContract() {
  const built = new WeakMap<InstalledContract, HostResponse>();
  return (contract: InstalledContract, build: () => unknown): HostResponse => {
    const known = built.get(contract) ?? withTag(build());
    built.set(contract, known);
    return known;
  };
}

/** The same for a document of all contracts, of which the newest is remembered. */
export function builtForContracts() {
  let of: readonly InstalledContract[] = [];
  let built: HostResponse | undefined;
  return (contracts: readonly InstalledContract[], build: () => unknown): HostResponse => {
    const isSame = contracts.length === of.length && contracts.every((one, place) => one === of[place]);
    if (built === undefined || !isSame) built = withTag(build());
    of = contracts;
    return built;
  };
}
