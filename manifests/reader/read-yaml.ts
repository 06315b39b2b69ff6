// Owns reading one YAML file against its zod schema.
// Path and schema in -> typed data, or a ManifestError naming file and place. A repeated key is a fault.
import { readFileSync } from 'node:fs';
import { load, YAMLException } from 'js-yaml';
import type { z } from 'zod';
import { ManifestError } from './errors';

/** Reads the file and gives what the schema makes of it. `name` is how messages call the file. */
export function readYaml<T>(path: string, name: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parse(path, name));
  if (result.success) return result.data;
  throw new ManifestError(
    name,
    result.error.issues.map((issue) => ({
      path: issue.path.join('.') || 'the file',
      message: issue.message,
    })),
  );
}

function parse(path: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ManifestError(name, [{ path: 'the file', message: `cannot be read: ${reason}` }]);
  }
  try {
    return load(text, { filename: name });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark ? `line ${error.mark.line + 1}` : 'the file';
    throw new ManifestError(name, [{ path: place, message: `not valid YAML: ${error.reason}` }]);
  }
}
