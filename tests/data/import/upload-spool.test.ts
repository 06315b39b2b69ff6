// Uploads that are stored on disk until they are imported.
import { open, readdir } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createUploadSpool, SpoolError } from '../../../extension/data/import/upload-spool';
import { useFolder } from '../../support/use-folder';

const MB = 2 ** 20;
const folder = useFolder();

const spoolOf = (maxBytes: number) => createUploadSpool({ folder, maxBytes });
const bodyOf = (...sizes: readonly number[]) =>
  Readable.from(sizes.map((size, index) => Buffer.alloc(size, index + 1)));
const refusal = (reason: string) => expect.objectContaining({ name: SpoolError.name, reason });

test.each([
  ['an empty upload', []],
  ['a small upload, in memory', [10, 20]],
  ['a large upload, mostly on disk', [200_000, 100_000, MB]],
])('%s is read back as it was received, and leaves no file behind', async (_label, sizes) => {
  const spool = spoolOf(8 * MB);
  const { input, discard } = await spool.receive(bodyOf(...sizes), 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(spool.use()).toEqual({ uploads: 1, bytes: total });
  expect(await readdir(folder)).toEqual([]);
  expect(await buffer(input)).toEqual(await buffer(bodyOf(...sizes)));
  await discard();
  await discard();
  expect(spool.use()).toEqual({ uploads: 0, bytes: 0 });
});

test('an upload larger than the spool is rejected, even before it is read if it declares its size', async () => {
  const spool = spoolOf(MB);
  expect(() => spool.admit(MB)).not.toThrow();
  expect(() => spool.admit(MB + 1)).toThrow(refusal('too-large'));
  const body = bodyOf(1);
  await expect(spool.receive(body, MB + 1)).rejects.toEqual(refusal('too-large'));
  expect(body.readableDidRead).toBe(false);
  await expect(spool.receive(bodyOf(MB, 1), 0)).rejects.toEqual(refusal('too-large'));
  expect(spool.use()).toEqual({ uploads: 0, bytes: 0 });
});

test('the declared size of an upload is reserved while it is received', async () => {
  const spool = spoolOf(MB);
  const slow = new PassThrough();
  const received = spool.receive(slow, MB - 10);
  expect(spool.use()).toEqual({ uploads: 1, bytes: MB - 10 });
  expect(() => spool.admit(11)).toThrow(refusal('full'));
  await expect(spool.receive(bodyOf(11), 0)).rejects.toEqual(refusal('full'));
  slow.end(Buffer.alloc(MB - 10));
  const first = await received;
  const second = await spool.receive(bodyOf(10), 10);
  await first.discard();
  await second.discard();
  expect(spool.use()).toEqual({ uploads: 0, bytes: 0 });
});

test('nothing is left of an upload if the disk is full or the client disconnects', async () => {
  const full = createUploadSpool({ folder, maxBytes: MB, openFile: () => open('/dev/full', 'w+') });
  await expect(full.receive(bodyOf(300_000), 0)).rejects.toEqual(refusal('disk-full'));
  expect(full.use()).toEqual({ uploads: 0, bytes: 0 });
  const spool = spoolOf(MB);
  const broken = new PassThrough();
  const received = spool.receive(broken, 0);
  broken.write(Buffer.alloc(300_000));
  broken.destroy(new Error('gone'));
  await expect(received).rejects.toThrow('gone');
  expect(spool.use()).toEqual({ uploads: 0, bytes: 0 });
  expect(await readdir(folder)).toEqual([]);
});
