// The client's address, determined from the connection and the proxies in front of the server.
import express, { type Request } from 'express';
import { bareAddress, callerAddress, isFromThisMachine } from '../../host-shim/auth/caller-address';
import { guardKey } from '../../host-shim/auth/login-guard';

type Trust = number | readonly string[] | undefined;

/** The parts of a request that determine the address. */
function requestOf(peer: string, headers: Record<string, string>, trust: Trust): Request {
  const app = express();
  if (trust !== undefined) app.set('trust proxy', trust);
  return { app, headers, socket: { remoteAddress: peer } } as unknown as Request;
}

test.each([
  ['192.0.2.7', '192.0.2.7'],
  [' 192.0.2.7:51234 ', '192.0.2.7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[::FFFF:192.0.2.7]:80', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['unknown', ''],
  ['192.0.2.7:x', ''],
  ['192.0.2.777', ''],
  ['example.org:80', ''],
  ['', ''],
])('%j is the address %j', (text, address) => {
  expect(bareAddress(text)).toBe(address);
});

test.each<[string, string, string | undefined, Trust, string]>([
  ['no trusted proxy', '127.0.0.1', '203.0.113.9', undefined, '127.0.0.1'],
  ['a trusted proxy', '127.0.0.1', '203.0.113.9', ['loopback'], '203.0.113.9'],
  ['mapped IPv4 is treated as IPv4', '::ffff:127.0.0.1', '203.0.113.9', ['loopback'], '203.0.113.9'],
  ['a port is removed', '127.0.0.1', '203.0.113.9:5123', ['loopback'], '203.0.113.9'],
  [
    'two proxies, one of which adds a port',
    '10.0.0.1',
    '198.51.100.1, 203.0.113.9:1, 10.0.0.2:2',
    ['10.0.0.0/8'],
    '203.0.113.9',
  ],
  ['text written by the client is ignored', '127.0.0.1', '127.0.0.1, 203.0.113.9', 1, '203.0.113.9'],
  ['two trusted proxies', '127.0.0.1', '203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
  ['a proxy without a header', '127.0.0.1', undefined, ['loopback'], '127.0.0.1'],
  ['a proxy that reports the client as "unknown"', '127.0.0.1', 'unknown', ['loopback'], ''],
])('%s', (_label, peer, forwardedFor, trust, address) => {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  expect(callerAddress(requestOf(peer, headers as Record<string, string>, trust))).toBe(address);
});

test.each<[string, string, Record<string, string>, Trust, boolean]>([
  ['a connection from this machine', '127.0.0.1', {}, undefined, true],
  ['a connection from this machine over IPv6', '::1', {}, ['loopback'], true],
  ['another machine', '203.0.113.9', {}, undefined, false],
  [
    'another machine that claims to be this one',
    '203.0.113.9',
    { 'x-forwarded-for': '::1' },
    undefined,
    false,
  ],
  ['an untrusted local proxy', '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, undefined, false],
  [
    'an untrusted local proxy with a local client',
    '127.0.0.1',
    { 'x-forwarded-for': '127.0.0.1' },
    undefined,
    false,
  ],
  [
    'a local proxy that only reports the scheme',
    '127.0.0.1',
    { 'x-forwarded-proto': 'http' },
    undefined,
    false,
  ],
  [
    'a local proxy that only reports the host',
    '127.0.0.1',
    { 'x-forwarded-host': 'a.example' },
    undefined,
    false,
  ],
  ['a local proxy with the standard header', '127.0.0.1', { forwarded: 'for=203.0.113.9' }, undefined, false],
  ['a trusted proxy with a local client', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, 1, true],
  ['a trusted proxy with a remote client', '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, 1, false],
  ['a trusted proxy that does not report the client', '127.0.0.1', { 'x-forwarded-proto': 'http' }, 1, false],
])('from this machine: %s', (_label, peer, headers, trust, isHere) => {
  expect(isFromThisMachine(requestOf(peer, headers, trust))).toBe(isHere);
});

describe('a login guard treats as the same client', () => {
  test.each([
    ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff::9'],
    ['2001:DB8:1:200::1', '2001:0db8:0001:0200:0:0:0:2'],
    ['::1', '::2'],
    ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ])('%s and %s', (one, other) => {
    expect(guardKey(one)).toBe(guardKey(other));
  });

  test.each([
    ['2001:db8:1:200::1', '2001:db8:1:300::1'],
    ['2001:db8:1::1', '2001:db8:2::1'],
    ['192.0.2.1', '192.0.2.2'],
    ['account 1', 'account 11'],
  ])('but not %s and %s', (one, other) => {
    expect(guardKey(one)).not.toBe(guardKey(other));
  });
});
