// Ranges of IP addresses. IPv4-mapped IPv6 addresses (::ffff:10.0.0.1) are treated as IPv4.
import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

const BITS: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };
/** URL writes a mapped IPv4 address as two groups of 16 bits. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const MAPPED_BITS = 96;

const octets = (group: string): string => {
  const value = Number.parseInt(group, 16);
  return `${value >> 8}.${value & 255}`;
};

/** Normalizes an address. `dropped` is the number of leading bits removed from a mapped IPv4 address. */
function normalize(text: string): { address: string; family: Family; dropped: number } | undefined {
  if (isIP(text) === 4) return { address: text, family: 'ipv4', dropped: 0 };
  // A zone (fe80::1%eth0) names a network interface of a single machine.
  if (isIP(text) !== 6 || text.includes('%')) return undefined;
  const address = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(address) ?? [];
  return high === undefined || low === undefined
    ? { address, family: 'ipv6', dropped: 0 }
    : { address: `${octets(high)}.${octets(low)}`, family: 'ipv4', dropped: MAPPED_BITS };
}

function readRange(text: string) {
  const [typed = '', bitsTyped, ...rest] = text.split('/');
  const found = normalize(typed);
  if (found === undefined || rest.length > 0) return undefined;
  const { address, family, dropped } = found;
  if (bitsTyped === undefined) return { address, family, bits: BITS[family] };
  const bits = /^\d{1,3}$/.test(bitsTyped) ? Number(bitsTyped) - dropped : -1;
  return bits >= 0 && bits <= BITS[family] ? { address, family, bits } : undefined;
}

/** Returns the stored form: `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for any other string. */
export function addressRangeOf(text: string): string | undefined {
  const range = readRange(text);
  return range && (range.bits === BITS[range.family] ? range.address : `${range.address}/${range.bits}`);
}

/** False for an invalid address. */
export function isWithinRanges(address: string, ranges: readonly string[]): boolean {
  const caller = normalize(address.replace(/%.*$/, ''));
  if (caller === undefined) return false;
  const list = new BlockList();
  for (const text of ranges) {
    const range = readRange(text);
    if (range !== undefined && range.family === caller.family)
      list.addSubnet(range.address, range.bits, range.family);
  }
  return list.check(caller.address, caller.family);
}
