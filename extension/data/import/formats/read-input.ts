// The decompressed bytes of a file: gzip is decompressed, with any number of members; other compressed files
// are refused.
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../../../host-shim/extension-api';
import { ImportError } from '../import-error';

const GZIP = Buffer.from([0x1f, 0x8b]);

const utf16 = (name: string): string =>
  `is not UTF-8 but UTF-16. Convert it first, for example with: iconv -f ${name} -t UTF-8 FILE`;

/** The first bytes of files that cannot be read, with the reason. */
const REFUSED: readonly (readonly [start: Buffer, reason: string])[] = [
  [
    Buffer.from('PK\u0003\u0004'),
    'is a zip archive; unpack it and import its files, or save it as CSV if it is a spreadsheet',
  ],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is compressed with zstd; pipe it in: zstd -dc FILE | ... -'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'is compressed with xz; pipe it in: xz -dc FILE | ... -'],
  [Buffer.from('BZh'), 'is compressed with bzip2; pipe it in: bzip2 -dc FILE | ... -'],
  [Buffer.from('PAR1'), 'is a Parquet file; convert it to NDJSON or CSV first'],
  [Buffer.from('SQLite format 3'), 'is a database; export the table as CSV first'],
  [Buffer.from([0xff, 0xfe]), utf16('UTF-16')],
  [Buffer.from([0xfe, 0xff]), utf16('UTF-16')],
];

/** The marker in the header of a tar archive's first file, and its position. */
const TAR = Buffer.from('ustar');
const TAR_AT = 257;

/** The number of bytes in a zip's first entry before its name, and the position of the name's length. */
const ZIP_NAME = 30;
const ZIP_NAME_LENGTH = 26;

/** The first file of a zip archive, which shows where the archive comes from. */
function firstZipEntry(start: Buffer): string | undefined {
  if (start.length < ZIP_NAME || !start.subarray(0, 4).equals(REFUSED[0]?.[0] ?? start)) return undefined;
  return start.subarray(ZIP_NAME, ZIP_NAME + start.readUInt16LE(ZIP_NAME_LENGTH)).toString('utf8');
}

/** The decompressed bytes. `onArchive` may refuse an archive with a better message. Throws an ImportError if the file cannot be read. */
export async function* readInput(
  chunks: AsyncGenerator<Buffer>,
  onArchive: (firstEntry: string) => void,
): AsyncGenerator<Buffer> {
  const start = await startOf(chunks);
  const entry = firstZipEntry(start);
  if (entry !== undefined) onArchive(entry);
  refuseStart(start, 'The file');
  if (!startsWith(start, GZIP)) {
    yield start;
    yield* chunks;
    return;
  }
  const unpacked = unpack(start, chunks);
  try {
    const content = await startOf(unpacked);
    if (startsWith(content, GZIP)) throw new ImportError('The file is gzipped twice; decompress it once');
    refuseStart(content, 'The content of the file');
    yield content;
    yield* unpacked;
  } finally {
    await unpacked.return(undefined);
  }
}

/** Enough bytes to show what a file is; a pipe may deliver them one by one. */
async function startOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let length = 0; length < TAR_AT + TAR.length; ) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    read.push(value);
    length += value.length;
  }
  return Buffer.concat(read);
}

const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

function refuseStart(start: Buffer, what: string): void {
  for (const [magic, reason] of REFUSED)
    if (startsWith(start, magic)) throw new ImportError(`${what} ${reason}`);
  if (startsWith(start.subarray(TAR_AT), TAR))
    throw new ImportError(`${what} is a tar archive; unpack it and import its files`);
  const [first, second, third, fourth] = start;
  if (first && second === 0 && third && fourth === 0) throw new ImportError(`${what} ${utf16('UTF-16LE')}`);
  if (first === 0 && second && third === 0 && fourth) throw new ImportError(`${what} ${utf16('UTF-16BE')}`);
}

const UNPACKED_BYTES = 256 * 1024;

async function* unpack(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const whole = async function* () {
    yield start;
    yield* rest;
  };
  try {
    yield* pipeline(whole, createGunzip({ chunkSize: UNPACKED_BYTES }), () => undefined);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(
      `The file cannot be decompressed: it is truncated or damaged (${messageOf(error)})`,
    );
  }
}
