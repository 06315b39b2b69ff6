/** Internal terms that must not appear on pages or in help texts, which use visitor, dataset, API version and so on instead. */
export const HOUSE_WORDS =
  /\b(readers?|materials?|contracts?|roads?|stitch(?:ed|es|ing)?|dictionar(?:y|ies)|touched|wire|anew)\b/i;
