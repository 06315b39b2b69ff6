// The error that the server told of the text as it stands: in its box, and at its place in the editor.
import type { Editor } from './editor';
import { showFault } from './fault-box';
import { type Checker, type Fault, faultsOf, type ServerError, serverFault } from './faults';
import type { RepairedText } from './repaired-text';

export interface ToldError {
  tell(error: ServerError): void;
  /** The text is another one. */
  forget(): void;
  /** What is marked in a text: the error of the server, or what can be seen without it. */
  faultsIn(text: string, checker: Checker | undefined): readonly Fault[];
}

/** `onRepair` is told once a repair stands in the editor. */
export function makeToldError(box: HTMLElement, editor: () => Editor, onRepair: () => void): ToldError {
  let told: ServerError | undefined;
  function repair({ text, changed }: RepairedText): void {
    editor().setText(text);
    editor().goTo(changed);
    onRepair();
  }
  function show(error: ServerError | undefined): void {
    told = error;
    showFault(box, error, editor().text(), { repair, goTo: (range) => editor().goTo(range) });
  }
  return {
    tell(error) {
      show(error);
      editor().recheck();
    },
    forget: () => show(undefined),
    faultsIn(text, checker) {
      const fault = told === undefined ? null : serverFault(text, told);
      return fault === null ? faultsOf(text, checker) : [fault];
    },
  };
}
