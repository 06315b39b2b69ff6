// The files for Docker and systemd refer only to existing paths, commands and settings.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';

const ROOT = join(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const settings = new Set(listSettings(PRODUCT.extensions).map(({ variable }) => variable));
const makefile = read('Makefile');

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const argsOf = (instruction: string) =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  test('copies files that exist or are built, and runs as an unprivileged account', () => {
    const built = ['node_modules', 'dist', '.', '/data'];
    const sources = argsOf('COPY').flatMap((line) => {
      const words = line.split(' ').filter((word) => !word.startsWith('--'));
      return words.slice(0, -1).map((word) => word.replace('/opt/qal/', ''));
    });
    expect(sources.filter((name) => !built.includes(name) && !existsSync(join(ROOT, name)))).toEqual([]);
    expect(argsOf('USER')).toEqual(['node']);
  });

  test('runs Makefile targets with a supported version of Node', () => {
    for (const [, target] of lines.join('\n').matchAll(/make (install|build)\b/g))
      expect(makefile).toMatch(new RegExp(`^${target}:`, 'm'));
    expect(argsOf('RUN').filter((line) => /^make|&& make/.test(line)).length).toBeGreaterThan(0);
    const [, oldest] = /"node": ">=(\d+)"/.exec(read('package.json')) ?? [];
    for (const image of argsOf('FROM'))
      expect(Number(/(?:^| )node:(\d+)-/.exec(image)?.[1])).toBeGreaterThanOrEqual(Number(oldest));
  });

  test('runs commands only in stages for the build platform', () => {
    const stages = lines
      .join('\n')
      .split(/^FROM /m)
      .slice(1);
    expect(stages.map((stage) => [/^--platform=\$BUILDPLATFORM /.test(stage), /^RUN /m.test(stage)])).toEqual(
      [
        [true, true],
        [false, false],
      ],
    );
  });

  test('sets only existing settings, and checks an existing route', () => {
    const names = argsOf('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] ?? ''));
    expect(names.filter((name) => !settings.has(name))).toEqual(['PATH']);
    expect(argsOf('HEALTHCHECK')[0]).toContain("fetch('http://127.0.0.1:8080/readyz')");
    expect(argsOf('CMD')).toEqual(['["qal", "serve"]']);
    expect(lines).toContain(
      'ENV PATH=/opt/qal/bin:$PATH HOST=0.0.0.0 PORT=8080 DATA_DIR=/data QAL_ENVIRONMENT=production',
    );
    expect(argsOf('EXPOSE')).toEqual(['8080']);
    expect(argsOf('VOLUME')).toEqual(['/data']);
  });
});

describe('compose.yaml', () => {
  const service = z.looseObject({
    environment: z.record(z.string(), z.string()),
    volumes: z.array(z.string()),
    image: z.string().optional(),
  });
  const { services, volumes } = z
    .object({
      services: z.object({ qal: service, postgres: service }),
      volumes: z.record(z.string(), z.null()),
    })
    .loose()
    .parse(load(read('compose.yaml')));

  test('sets only existing settings, and uses a supported version of PostgreSQL', () => {
    expect(Object.keys(services.qal.environment).filter((name) => !settings.has(name))).toEqual([]);
    expect(Number(/^postgres:(\d+)$/.exec(services.postgres.image ?? '')?.[1])).toBeGreaterThanOrEqual(15);
  });

  test('waits as long as systemd does for the program to stop', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/qal.service')) ?? [];
    expect(services.qal.stop_grace_period).toBe(`${seconds}s`);
  });

  test('declares volumes for the data of both programs', () => {
    const mounted = [...services.qal.volumes, ...services.postgres.volumes].map((text) => text.split(':'));
    expect(mounted.map(([name]) => name).sort()).toEqual(Object.keys(volumes).sort());
    expect(mounted.map(([, path]) => path)).toEqual(['/data', '/var/lib/postgresql']);
  });
});

test.each([
  ['deploy/qal.service', 'serve'],
  ['deploy/qal-follow.service', 'import'],
])('%s starts the program, which reads its settings itself', (name, command) => {
  const unit = read(name);
  const [, program, found] = /^ExecStart=\/opt\/qal\/(\S+) (\w+)/m.exec(unit) ?? [];
  expect(existsSync(join(ROOT, program ?? ''))).toBe(true);
  expect(found).toBe(command);
  expect(unit).not.toMatch(/^Environment/m);
});

test('qal.env contains only existing settings', () => {
  const names = [...read('deploy/qal.env').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('DATA_DIR');
  expect(names.filter((name) => !settings.has(name))).toEqual([]);
});

test('the image contains no secrets, and the reader role in compose.yaml has a limit on temporary files', () => {
  expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.env', '*.env']));
  expect(read('compose.yaml')).toContain('ALTER ROLE qal_reader SET temp_file_limit');
  expect(read('compose.yaml')).toMatch(/QAL_ENVIRONMENT: \$\{QAL_ENVIRONMENT:-local\}/);
});
