import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { YAMLException } from 'js-yaml';
import type { z } from 'zod';
import { loadYaml } from './load-yaml';

/** `path` is the location of the error, such as `materials.allpv.columns.url.via`. */
export interface ManifestFault {
  readonly path: string;
  readonly message: string;
}

/** The message has one line per error, with the file, the location and the expected value. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';

  constructor(
    readonly file: string,
    readonly faults: readonly ManifestFault[],
  ) {
    super(faults.map((fault) => `${file}: ${fault.path}: ${fault.message}`).join('\n'));
  }
}

export function stopOnFaults(file: string, faults: readonly ManifestFault[]): void {
  if (faults.length > 0) throw new ManifestError(file, faults);
}

/** Reads a YAML file, called `name` in messages, and parses it with the schema. Throws a ManifestError with every error. */
export function readYaml<T>(name: string, schema: z.ZodType<T>, directory = ''): T {
  const result = schema.safeParse(parse(name, directory));
  if (result.success) return result.data;
  throw new ManifestError(
    name,
    result.error.issues.flatMap((issue) => faultsOf(issue, [])),
  );
}

/** Reads the YAML files in a folder, in name order. `name` has no extension; `label` is what messages call the file. */
export const readYamlFolder = <T>(directory: string, folder: string, schema: z.ZodType<T>) =>
  readdirSync(join(directory, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const label = `${folder}/${file}`;
      return { name: basename(file, '.yaml'), label, file: readYaml(label, schema, directory) };
    });

type Issue = z.core.$ZodIssue;

/** For a part with several possible forms, returns the errors for the closest form. */
function faultsOf(issue: Issue, around: readonly PropertyKey[]): readonly ManifestFault[] {
  const path = [...around, ...issue.path];
  const forms = issue.code === 'invalid_union' ? issue.errors : [];
  const [nearest] = [...forms].sort((one, other) => distanceOf(one) - distanceOf(other));
  if (nearest !== undefined && nearest.length > 0) return nearest.flatMap((inside) => faultsOf(inside, path));
  return [{ path: path.map(String).join('.') || 'the file', message: issue.message }];
}

const OTHER_TYPE = 1000;

/** How far a value is from a form. Errors deeper inside it count only if its keys fit several forms equally well. */
function distanceOf(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    const { length } = issue.path;
    if (length === 0 && issue.code === 'invalid_type') return sum + OTHER_TYPE;
    if (length > 1) return sum + 1 / OTHER_TYPE;
    return sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1);
  }, 0);
}

function parse(name: string, directory: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(directory, name), 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ManifestError(name, [{ path: 'the file', message: `cannot be read: ${reason}` }]);
  }
  try {
    return loadYaml(text, name);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const fault = error.mark
      ? { path: `line ${error.mark.line + 1}`, message: `is not valid YAML: ${error.reason}` }
      : { path: 'the file', message: error.reason };
    throw new ManifestError(name, [fault]);
  }
}
