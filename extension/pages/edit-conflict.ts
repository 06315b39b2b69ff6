// If another user has changed the same item since a form was opened, nothing is saved, and the form shows both versions.
import { ChangedMeanwhile } from '../data/storage/form-mark';

/** The currently stored values, as pairs of title and text. */
export type StoredValues = readonly (readonly [title: string, text: string])[];

type Saved<Answer, Stored> =
  | { readonly kind: 'saved'; readonly answer: Answer }
  | { readonly kind: 'changed'; readonly stored: Stored };

/** Returns a result instead of throwing ChangedMeanwhile. */
export async function unlessChanged<Answer, Stored>(save: Promise<Answer>): Promise<Saved<Answer, Stored>> {
  try {
    return { kind: 'saved', answer: await save };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return { kind: 'changed', stored: error.stored };
    throw error;
  }
}

/** The HTTP status of a page with a form. */
export const formStatus = (isFaulty: boolean, stored: StoredValues | undefined): number => {
  if (stored !== undefined) return 409;
  return isFaulty ? 400 : 200;
};
