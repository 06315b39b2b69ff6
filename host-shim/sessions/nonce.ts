// A nonce proves that a change was sent from one of our own pages in this session. Like WordPress's, it lasts 12 to 24 hours.
import { createHmac, timingSafeEqual } from 'node:crypto';

const HALF_LIFE_MS = 12 * 3_600_000;
const LENGTH = 27;

interface NonceOwner {
  readonly sessionId: string;
  readonly userId: number;
}

const tickOf = (now: Date) => Math.floor(now.getTime() / HALF_LIFE_MS);

function sign(secret: string, { sessionId, userId }: NonceOwner, tick: number): string {
  return createHmac('sha256', secret)
    .update(`nonce|${tick}|${userId}|${sessionId}`)
    .digest('base64url')
    .slice(0, LENGTH);
}

export function createNonce(secret: string, owner: NonceOwner, now: Date): string {
  return sign(secret, owner, tickOf(now));
}

export function isNonce(secret: string, owner: NonceOwner, given: string, now: Date): boolean {
  return [tickOf(now), tickOf(now) - 1].some((tick) => {
    const right = Buffer.from(sign(secret, owner, tick));
    const typed = Buffer.from(given);
    return right.length === typed.length && timingSafeEqual(right, typed);
  });
}
