// What a form does when somebody else changed the same thing after it was opened: nothing is saved, both are shown.
import { ChangedMeanwhile } from '../data/storage/form-mark';

/** The values stored now: title -> text. */
export type StoredValues = readonly (readonly [title: string, text: string])[];

type Saved<Answer, Stored> =
  | { readonly kind: 'saved'; readonly answer: Answer }
  | { readonly kind: 'changed'; readonly stored: Stored };

/** Waits for a save that may throw ChangedMeanwhile. */
export async function unlessChanged<Answer, Stored>(save: Promise<Answer>): Promise<Saved<Answer, Stored>> {
  try {
    return { kind: 'saved', answer: await save };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return { kind: 'changed', stored: error.stored };
    throw error;
  }
}

/** The status of a page with a form. */
export const formStatus = (isFaulty: boolean, stored: StoredValues | undefined): number => {
  if (stored !== undefined) return 409;
  return isFaulty ? 400 : 200;
};
