// Finds the primary among several addresses, even after a replica has taken over.
import { types } from 'node:util';
import { codeOf } from './embedded/errors';
import { poll } from './poll';
import type { MovingPlace } from './pool-options';
import { placeOf } from './read-addresses';
import { type DatabaseIdentity, isReplica, isReplicated, lookAt } from './same-database';

interface PrimaryAddress {
  current(): string;
  /** `leave` is called when a different server becomes the primary, because connections to the previous one are useless. */
  onMove(leave: () => void): void;
  stop(): void;
}

/** `addressOf` can replace the role in the address. */
export function connectionTo(
  { current, onMove }: PrimaryAddress,
  addressOf: (current: string) => string = (same) => same,
): MovingPlace {
  let place = { connectionString: addressOf(current()) };
  onMove(() => {
    place = { connectionString: addressOf(current()) };
  });
  return { current: () => place, onMove };
}

const LOOK_MS = 1_000;

type Look = (address: string) => Promise<DatabaseIdentity>;

/**
 * With several addresses, looks for the primary once a second. If there are two primaries, chooses the one that took over, and
 * never switches back. Throws if no address leads to a primary.
 */
export async function followPrimary(
  addresses: readonly string[],
  onChange: (sentence: string) => void,
  lookAtAddress: Look = lookAt,
): Promise<PrimaryAddress> {
  const [first, ...others] = addresses;
  if (first === undefined) throw new RangeError('No address was specified.');
  if (others.length === 0) return { current: () => first, onMove() {}, stop() {} };
  const leaving = new Set<() => void>();
  let primary = await findPrimary(addresses, lookAtAddress);

  async function update(): Promise<void> {
    const next = await findPrimary(addresses, lookAtAddress, primary.identity).catch(() => primary);
    const isSame = next.address === primary.address;
    primary = next;
    if (isSame) return;
    for (const leave of leaving) leave();
    onChange(`The primary of DATABASE_URL is now at ${placeOf(next.address)}.`);
  }

  const stop = poll(update, LOOK_MS);
  return {
    current: () => primary.address,
    onMove: (leave) => leaving.add(leave),
    stop,
  };
}

/** If no address is a primary, throws an error with the reason for each address. */
async function findPrimary(addresses: readonly string[], lookAtAddress: Look, known?: DatabaseIdentity) {
  const lookups = await Promise.allSettled(
    addresses.map(async (address) => {
      const identity = await lookAtAddress(address);
      const reason = whyNot(identity, known);
      if (reason !== undefined) throw new Error(reason);
      return { address, identity };
    }),
  );
  const [first, ...others] = lookups.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (first !== undefined)
    return others.reduce(
      (newest, one) => (hasTakenOver(one.identity, newest.identity) ? one : newest),
      first,
    );
  const reasons = lookups.map((one, index) => {
    const reason: unknown = one.status === 'rejected' ? one.reason : undefined;
    const words = types.isNativeError(reason) ? reason.message || codeOf(reason) : String(reason);
    return `${placeOf(addresses[index] ?? '')}: ${words}`;
  });
  throw new Error(`No address in DATABASE_URL leads to a primary. ${reasons.join('; ')}`);
}

function whyNot(found: DatabaseIdentity, known: DatabaseIdentity = found): string | undefined {
  if (isReplica(found)) return 'it is a replica';
  if (!isReplicated(found, known)) return 'it has a different database';
  return hasTakenOver(known, found) ? 'another server took over from it' : undefined;
}

const hasTakenOver = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  isReplicated(one, other) && one.timeline > other.timeline;
