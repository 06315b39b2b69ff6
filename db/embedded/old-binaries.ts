// Finds the PostgreSQL programs of an earlier major version, which an upgrade needs to read the old cluster.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serverAccount } from './account';
import { fromFolder, majorIn } from './binaries';
import { EmbeddedServerError } from './errors';

/** Debian and Ubuntu; Red Hat and others; Homebrew; Postgres.app. */
const STANDARD_PLACES: readonly ((major: number) => string)[] = [
  (major) => `/usr/lib/postgresql/${major}/bin`,
  (major) => `/usr/pgsql-${major}/bin`,
  (major) => `/opt/homebrew/opt/postgresql@${major}/bin`,
  (major) => `/usr/local/opt/postgresql@${major}/bin`,
  (major) => `/Applications/Postgres.app/Contents/Versions/${major}/bin`,
];

interface OldBinariesOptions {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly major: number;
  /** The only place to look, if set. */
  readonly oldBinDir?: string | undefined;
}

/** Throws an EmbeddedServerError that explains what to install or to set. */
export async function findOldBinaries(options: OldBinariesOptions): Promise<string> {
  const { dataDir, clusterDir, major, oldBinDir } = options;
  const account = await serverAccount(clusterDir);
  if (oldBinDir !== undefined) {
    const found = await fromFolder('PG_OLD_BINDIR', oldBinDir, account);
    if (found.major === major) return oldBinDir;
    throw new EmbeddedServerError(
      `PG_OLD_BINDIR is ${oldBinDir}, which has PostgreSQL ${found.major}, but ${clusterDir} was written by PostgreSQL ${major}.`,
    );
  }
  const places = [...STANDARD_PLACES.map((place) => place(major)), ...(await copiedPackages(dataDir))];
  for (const place of places) if ((await majorIn(place, account)) === major) return place;
  throw new EmbeddedServerError(
    `${clusterDir} was written by PostgreSQL ${major}, whose programs are needed for the upgrade but were not found. ` +
      `Install them (on Debian and Ubuntu: apt-get install postgresql-${major}), or set PG_OLD_BINDIR to the folder with the ` +
      `programs of PostgreSQL ${major}, and start again.`,
  );
}

/** Copies of the npm package, made by earlier versions of this program. */
async function copiedPackages(dataDir: string): Promise<readonly string[]> {
  const folder = join(dataDir, 'binaries');
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name, 'native', 'bin'));
}
