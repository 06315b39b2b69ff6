// Which of several addresses leads to the primary. Another one does when a replica has taken over.
import { types } from 'node:util';
import { codeOf } from './embedded/errors';
import type { MovingPlace } from './pool-options';
import { placeOf } from './read-addresses';
import { type DatabaseIdentity, isReplicated, lookAt } from './same-database';

export interface PrimaryAddress {
  /** The one that was found last. */
  current(): string;
  /** `leave` is called when another server is the primary: connections to the last one are of no more use. */
  onMove(leave: () => void): void;
  stop(): void;
}

/** A connection to it, of the role that is in the address or another one. */
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

/**
 * Where there are several addresses, looks for the primary, and once a second whether it still is. Throws where no address leads
 * to one. Calls `onChange` with a sentence when it is another one.
 */
export async function followPrimary(
  addresses: readonly string[],
  onChange: (sentence: string) => void,
): Promise<PrimaryAddress> {
  const [first, ...others] = addresses;
  if (first === undefined) throw new RangeError('There is no address.');
  if (others.length === 0) return { current: () => first, onMove() {}, stop() {} };
  const leaving = new Set<() => void>();
  let primary = await findPrimary(addresses);
  let isLooking = false;

  async function look(): Promise<void> {
    const nothing = () => undefined;
    const same = await askPrimary(primary.address, primary.identity).catch(nothing);
    const next = same ?? (await findPrimary(addresses, primary.identity).catch(nothing));
    if (next === undefined || next.address === primary.address) return;
    primary = next;
    for (const leave of leaving) leave();
    onChange(`The primary of DATABASE_URL is at ${placeOf(next.address)} from now on.`);
  }

  const watch = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MS).unref();
  return {
    current: () => primary.address,
    onMove: (leave) => leaving.add(leave),
    stop: () => clearInterval(watch),
  };
}

interface Primary {
  readonly address: string;
  readonly identity: DatabaseIdentity;
}

/** The first that is one. Throws with what each of the addresses leads to. */
async function findPrimary(addresses: readonly string[], known?: DatabaseIdentity): Promise<Primary> {
  const asked = await Promise.allSettled(addresses.map((address) => askPrimary(address, known)));
  const found = asked.find((one) => one.status === 'fulfilled');
  if (found !== undefined) return found.value;
  const reasons = asked.map((one, index) => {
    const reason: unknown = one.status === 'rejected' ? one.reason : undefined;
    const words = types.isNativeError(reason) ? reason.message || codeOf(reason) : String(reason);
    return `${placeOf(addresses[index] ?? '')}: ${words}`;
  });
  throw new Error(`No address of DATABASE_URL leads to a primary. ${reasons.join('; ')}`);
}

/** Throws unless the address leads to a primary, of the database that is known. */
async function askPrimary(address: string, known: DatabaseIdentity | undefined): Promise<Primary> {
  const { isReplica, identity } = await lookAt(address);
  if (isReplica) throw new Error('it is a replica');
  if (known !== undefined && !isReplicated(identity, known)) throw new Error('it has another database');
  return { address, identity };
}
