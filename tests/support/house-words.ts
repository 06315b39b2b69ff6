/** Internal terms that must not appear on pages or in help, whose terms are visitor, dataset, API version and so on. */
export const HOUSE_WORDS =
  /\b(readers?|materials?|contracts?|roads?|stitch(?:ed|es|ing)?|dictionar(?:y|ies)|touched|wire|anew)\b/i;
