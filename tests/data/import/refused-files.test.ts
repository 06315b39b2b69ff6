// Files that cannot be read as they are: each is rejected with a suggestion.
import { gzipSync } from 'node:zlib';
import { readText } from './read-format';

describe('a file in the wrong format', () => {
  const csv = 'url,access_time\n/a,2026-03-02T09:15:02Z\n';
  const list = [{ url: '/a', access_time: '2026-03-02T09:15:02Z' }];
  const archive = Buffer.alloc(1024);
  archive.write('access.log');
  archive.write('ustar', 257);

  test.each<[what: string, file: Buffer | string, words: string]>([
    ['UTF-16 without a BOM', Buffer.from(csv, 'utf16le'), 'iconv -f UTF-16LE'],
    ['big-endian UTF-16 without a BOM', Buffer.from(csv, 'utf16le').swap16(), 'iconv -f UTF-16BE'],
    ['a tar archive', archive, 'The file is a tar archive; unpack it'],
    ['a gzipped tar archive', gzipSync(archive), 'The content of the file is a tar archive'],
    ['a file with classic Mac line endings', csv.replaceAll('\n', '\r'), 'end with only a carriage return'],
    ['a JSON list', JSON.stringify(list, null, 2), "jq -c '.[]' FILE"],
    ['a JSON object that spans several lines', JSON.stringify(list[0], null, 2), "jq -c '.' FILE"],
    [
      'a log inside JSON',
      '{"log":"1.2.3.4 - -\\n","stream":"stdout","time":"2026-03-02T09:15:02Z"}',
      'jq -j .log',
    ],
    [
      'a Search Console response without dimensions',
      JSON.stringify({ rows: [{ clicks: 1, impressions: 2, ctr: 0.5, position: 3 }] }),
      'Request it with "dimensions": ["date", "page", "query"]',
    ],
  ])('%s is rejected with a suggested fix', async (_what, file, words) => {
    await expect(readText(file, 'allpv', { fileName: 'a.json' })).rejects.toThrow(words);
  });
});
