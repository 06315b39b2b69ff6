// Words that people who use pages and commands do not need to learn, because the field has other ones.

/** Ours -> the field's: visitor, dataset, API version, loader, sessionize, dimension table, changed rows, response format. */
export const HOUSE_WORDS =
  /\b(readers?|materials?|contracts?|roads?|stitch(?:ed|es|ing)?|dictionar(?:y|ies)|touched|wire|anew)\b/i;
