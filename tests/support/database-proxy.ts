// A proxy in front of the test server that can refuse connections, or go on holding them without a word.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { borrowServer } from './borrow-server';

export interface DatabaseProxy {
  /** The same connection string, by way of the proxy. */
  through(url: string): string;
  /** Ends every connection, and each new one. */
  refuse(): void;
  /** Accepts connections and takes what is sent, but lets no answer through. */
  fallSilent(): void;
  /** Lets everything through again; connections of before stay as they are. */
  recover(): void;
  close(): Promise<void>;
}

export async function openDatabaseProxy(): Promise<DatabaseProxy> {
  const { server: target, giveBack } = await borrowServer();
  const url = new URL(target.ownerUrl);
  const folder = url.searchParams.get('host');
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432));
  const sockets = new Set<Socket>();
  let mode: 'open' | 'refusing' | 'silent' = 'open';
  const proxy = createServer((near) => {
    if (mode === 'refusing') {
      near.destroy();
      return;
    }
    const far = folder?.startsWith('/')
      ? connect(join(folder, `.s.PGSQL.${port}`))
      : connect(port, folder ?? url.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('data', (chunk) => {
        if (mode === 'open') other.write(chunk);
      });
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
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
      changed.hostname = '127.0.0.1';
      changed.port = String(own.port);
      return changed.href;
    },
    refuse() {
      mode = 'refusing';
      drop();
    },
    fallSilent() {
      mode = 'silent';
    },
    recover() {
      mode = 'open';
    },
    async close() {
      drop();
      proxy.close();
      await once(proxy, 'close');
      await giveBack();
    },
  };
}
