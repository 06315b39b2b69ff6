// Owns what a form tells when somebody else changed the same thing meanwhile: nothing was saved, and what is stored now.
// A save in -> its answer, or what is stored instead of what the form was filled from.
import { ChangedMeanwhile } from '../storage/form-mark';

/** What is stored: title -> text. */
export type PresentValues = readonly (readonly [title: string, text: string])[];

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

/** The status of a page that shows a form. */
export const formStatus = (isFaulty: boolean, present: PresentValues | undefined): number => {
  if (present !== undefined) return 409;
  return isFaulty ? 400 : 200;
};
