/** The stored values, as pairs of title and text. A form shows them if another user has changed them since the form was opened. */
export type StoredValues = readonly (readonly [title: string, text: string])[];

/** The HTTP status of a page with a form. */
export const formStatus = (isFaulty: boolean, stored: StoredValues | undefined): number => {
  if (stored !== undefined) return 409;
  return isFaulty ? 400 : 200;
};
