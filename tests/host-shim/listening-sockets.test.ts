// On Linux, several sockets listen on the server's port: all of them on one address, or only one if the system cannot share a port.
import dns from 'node:dns';
import { readFile } from 'node:fs/promises';
import express from 'express';
import { listen } from '../../host-shim/server/http-server';

const onLinux = process.platform === 'linux' ? test : test.skip;

/** Replaces the result of each lookup. Node looks up whatever it listens on, even an IP address. */
function lookUp(find: (time: number, host: unknown) => string | Error): void {
  let times = 0;
  const lookup = (host: unknown, _options: unknown, found: (error: Error | null, all?: object) => void) => {
    times += 1;
    const address = find(times, host);
    if (address instanceof Error) found(address);
    else found(null, [{ address, family: 4 }]);
  };
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
}
afterEach(() => jest.restoreAllMocks());

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** The addresses of all sockets that listen on a port, in hexadecimal. */
async function socketsOn(port: number): Promise<readonly string[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const listening = '0A';
  return lines.flatMap(([, local = '', , state]) => {
    const [address = '', hex = ''] = local.split(':');
    return state === listening && Number.parseInt(hex, 16) === port ? [address] : [];
  });
}

async function freePort(): Promise<number> {
  const server = await listen(express(), { host: '127.0.0.1', port: 0 });
  await server.stop(0);
  return Number(new URL(server.url).port);
}

onLinux('if a name resolves to another address each time, all of them listen on one of these', async () => {
  const port = await freePort();
  lookUp((time, host) => (host === 'name.example' ? `127.0.0.${time}` : String(host)));
  const server = await listen(express(), { host: 'name.example', port });
  const sockets = await socketsOn(port);
  await server.stop(0);
  expect([sockets.length, new Set(sockets).size]).toEqual([16, 1]);
  expect(await socketsOn(port)).toEqual([]);
});

onLinux(
  'if one of them cannot be opened, the server does not start, and none of them stays open',
  async () => {
    const port = await freePort();
    lookUp((time) => (time < 5 ? '127.0.0.1' : errorOf('EMFILE')));
    await expect(listen(express(), { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EMFILE' });
    expect(await socketsOn(port)).toEqual([]);
  },
);

onLinux('if they cannot share the port, as with Node before 22.12, one of them listens', async () => {
  const port = await freePort();
  lookUp((time) => (time < 3 ? '127.0.0.1' : errorOf('EADDRINUSE')));
  const server = await listen(express(), { host: '127.0.0.1', port });
  const sockets = await socketsOn(port);
  await server.stop(0);
  expect(sockets).toHaveLength(1);
});
