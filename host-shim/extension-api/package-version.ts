import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PACKAGE_ROOT } from './package-root';

const packageSchema = z.object({ version: z.string() });

export const programVersion = (): string =>
  packageSchema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'))).version;
