// Owns the reading of an option that takes a text.

/** The text of an option; undefined when it was not given. */
export const textOption = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
