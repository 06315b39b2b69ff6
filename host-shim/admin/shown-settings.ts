// The settings as a page may show them: each variable with what holds, and never a secret.
// An address with a password in it is only said to be set.
import { type Config, settings } from '../config';

export interface ShownSetting {
  readonly name: string;
  readonly about: string;
  /** null = not set. */
  readonly value: string | null;
}

function shown(value: Config[keyof Config]): string | null {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'object' ? value.join(', ') : String(value);
}

/** Every setting there is, in the order of the table of settings. */
export const shownSettings = (config: Config): readonly ShownSetting[] =>
  settings.map(({ key, name, about, secret }) => {
    const value = shown(config[key]);
    return {
      name,
      about,
      value: secret && value !== null ? 'set; not shown, it may hold a password' : value,
    };
  });
