// A proxy that can refuse connections or stop responding, in front of the test server or another one.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { borrowServer } from './borrow-server';
import { splittingCopies } from './splitting-copies';

export interface DatabaseProxy {
  /** The connection string through the proxy. */
  through(url: string): string;
  /** Closes all connections, including new ones. */
  refuse(): void;
  /** Accepts connections but does not forward anything, as if packets were lost. */
  fallSilent(): void;
  /** Forwards everything again, starting with what was sent in the meantime. */
  recover(): void;
  /** Forwards new connections to a different server, and closes existing ones. */
  moveTo(url: string): void;
  close(): Promise<void>;
}

const noop = async () => undefined;

/** By default, the proxy is in front of the test server. `splitsCopies` delivers the end of a COPY in two reads. */
export async function openDatabaseProxy(
  target?: string,
  { splitsCopies = false, host = '127.0.0.1' } = {},
): Promise<DatabaseProxy> {
  const { url: first, giveBack } =
    target === undefined
      ? await borrowServer().then(({ server, giveBack }) => ({ url: server.ownerUrl, giveBack }))
      : { url: target, giveBack: noop };
  let place = placeOf(first);
  const sockets = new Set<Socket>();
  let mode: 'open' | 'refusing' | 'silent' = 'open';
  const proxy = createServer((near) => {
    if (mode === 'refusing') {
      near.destroy();
      return;
    }
    const far = connect(place);
    const toClient = splitsCopies ? splittingCopies(near) : (chunk: Buffer) => near.write(chunk);
    for (const [one, other, pass] of [
      [near, far, (chunk: Buffer) => far.write(chunk)],
      [far, near, toClient],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      if (mode === 'silent') one.pause();
      one.on('data', pass);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  proxy.listen(0, host);
  await once(proxy, 'listening');
  const own = proxy.address() as AddressInfo;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    through(original) {
      const changed = new URL(original);
      changed.searchParams.delete('host');
      changed.searchParams.delete('port');
      changed.hostname = host;
      changed.port = String(own.port);
      return changed.href;
    },
    refuse() {
      mode = 'refusing';
      drop();
    },
    fallSilent() {
      mode = 'silent';
      for (const socket of sockets) socket.pause();
    },
    recover() {
      mode = 'open';
      for (const socket of sockets) socket.resume();
    },
    moveTo(url) {
      place = placeOf(url);
      drop();
    },
    async close() {
      drop();
      proxy.close();
      await once(proxy, 'close');
      await giveBack();
    },
  };
}

function placeOf(text: string): NetConnectOpts {
  const url = new URL(text);
  const folder = url.searchParams.get('host');
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432));
  if (folder?.startsWith('/')) return { path: join(folder, `.s.PGSQL.${port}`) };
  return { port, host: folder ?? url.hostname };
}
