// The settings file that the server, cron jobs and manual commands share. Environment variables override it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../extension-api';
import { ConfigError, type Environment } from './config';
import { DEFAULT_DATA_DIR, NO_ENV_FILE } from './host-settings';

export interface FoundSettings {
  readonly environment: Environment;
  /** Where a variable's value comes from; undefined if the variable is not set. */
  sourceOf(variable: string): string | undefined;
}

const SYSTEM_FILE = '/etc/qal.env';
const OTHERS = 0o007;
const LINE = /^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/;

/**
 * Reads the file named by QAL_ENV_FILE, else qal.env in DATA_DIR, else /etc/qal.env. Throws a ConfigError if the file cannot be
 * read or is accessible to other accounts, or if it sets a name that is not `known`, because that would have no effect.
 */
export function findSettings(
  process: Environment,
  known: readonly string[],
  systemFile = SYSTEM_FILE,
): FoundSettings {
  const file = findFile(process, systemFile);
  const inFile = file === undefined ? {} : readEnvFile(file, known);
  const fromProcess = Object.fromEntries(Object.entries(process).filter(([, value]) => value?.trim()));
  return {
    environment: { ...inFile, ...fromProcess },
    sourceOf(variable) {
      if (fromProcess[variable] !== undefined) return 'environment';
      return inFile[variable] === undefined ? undefined : file;
    },
  };
}

function findFile(process: Environment, systemFile: string): string | undefined {
  const named = process.QAL_ENV_FILE?.trim();
  if (named === NO_ENV_FILE) return undefined;
  if (named) return resolve(named);
  const dataDir = process.DATA_DIR?.trim() || DEFAULT_DATA_DIR;
  return [resolve(join(dataDir, 'qal.env')), systemFile].find((path) => existsSync(path));
}

function readEnvFile(path: string, known: readonly string[]): Readonly<Record<string, string>> {
  const { text, mode } = openFile(path);
  if ((mode & OTHERS) !== 0)
    throw new ConfigError([
      `${path} may contain passwords, but every account on this machine can read or change it: chmod o= ${path}`,
    ]);
  const faults: string[] = [];
  const values: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name = '', value = ''] = LINE.exec(trimmed) ?? [];
    if (name === '') faults.push(`${path}, line ${index + 1} must be NAME=value.`);
    else if (!known.includes(name))
      faults.push(`${path}, line ${index + 1}: ${name} is not a setting; "qal config" lists all settings.`);
    // As in the environment, an empty value is treated as not set.
    else if (unquoted(value.trim()) !== '') values[name] = unquoted(value.trim());
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

function openFile(path: string): { readonly text: string; readonly mode: number } {
  try {
    return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode };
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError([
      `The settings in ${path} cannot be read (${reason}). Run the program as the installation's account, or set QAL_ENV_FILE to another file, or to ${NO_ENV_FILE}.`,
    ]);
  }
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
