// The playground: connects the editor, the choices above it, and the answer. The query text is the source of truth: choices
// edit it, or are updated from it.

import type { Catalogue } from '../shared-types/catalogue';
import type { QueryEdit } from '../shared-types/query-check';
import { createAnswerSide } from './playground/answer-side';
import { completeQuery } from './playground/complete-query';
import { isAddressed, keepDraft, openLinkedQuery, readDraft, takeRun } from './playground/draft';
import { createEditor, type Origin } from './playground/editor';
import { showFaults } from './playground/fault-box';
import { formatQuery } from './playground/format-query';
import { faultOf, syntaxFaults } from './playground/query-faults';
import { withSite } from './playground/query-text';
import { copyAsCurl, createChecker, type Question } from './playground/question';
import { changedRange, repairText } from './playground/repair-text';
import { createSavedBar } from './playground/saved-bar';
import { choose, createSiteChoice } from './playground/site-choice';
import { byId } from './shared/elements';
import { messageOf } from './shared/rest';
import type { RestError } from './shared/rest-answer';

const REPAIRED =
  'The repair is selected in the editor. Run the query if this is what you meant, or undo the repair.';
const REPLACED = 'The example replaced your text. Press Ctrl-Z in the editor to restore it.';

function start(): void {
  const site = byId('site', HTMLSelectElement);
  const version = byId('version', HTMLSelectElement);
  const example = byId('example', HTMLSelectElement);
  const textarea = byId('query', HTMLTextAreaElement);
  const status = byId('said', HTMLElement);
  let shownError: RestError | undefined;
  const errorBox = byId('fault', HTMLElement);
  const say = (sentence: string) => {
    status.textContent = sentence;
  };

  const saved = readDraft();
  textarea.value = saved?.text ?? '';
  if (!isAddressed()) choose(version, saved?.version ?? '');
  let examples: readonly string[] = [];

  const question = (): Question => ({ text: editor.text(), version: version.value });
  const draft = keepDraft(() => ({ text: editor.text(), origin: editor.origin() }));
  const savedBar = createSavedBar({ editor: () => editor, say });
  const followExample = () => {
    const index = examples.indexOf(editor.text());
    example.value = index < 0 ? '' : String(index);
  };
  function takeExample(): void {
    const before = editor.text();
    const isOwn = before.trim() !== '' && !examples.includes(before);
    const text = examples[Number(example.value)] ?? before;
    open(text, {});
    if (isOwn && text !== before) say(REPLACED);
  }
  const choice = createSiteChoice({
    site,
    version,
    onKnown(catalogue) {
      examples = offerExamples(example, catalogue);
      if (editor.text().trim() === '') open(examples[0] ?? '', {});
      followExample();
    },
    onUnknown: (sentence) => say(`Completion is unavailable. ${sentence}`),
  });

  function applyRepair(edits: readonly QueryEdit[]): void {
    const before = editor.text();
    const text = repairText(before, edits);
    editor.setText(text);
    editor.goTo(changedRange(before, text));
    say(REPAIRED);
  }

  const check = createChecker();
  const unchecked = byId('unchecked', HTMLElement);

  /** Shows an error in the query together with all other errors that a check finds. */
  async function showError(error: RestError | undefined): Promise<void> {
    shownError = error;
    if (error === undefined) {
      errorBox.hidden = true;
      errorBox.replaceChildren();
      return;
    }
    const checked = error.code === '' ? undefined : await check(question());
    if (shownError !== error) return;
    const faults = checked?.kind === 'checked' ? checked.query.faults : [];
    showFaults(errorBox, faults.length > 0 ? faults : [error], {
      text: editor.text(),
      onRepair: applyRepair,
      goTo: (place) => editor.goTo(place),
    });
  }

  const answers = createAnswerSide({ question, check, showError });

  function changed(): void {
    if (version.value !== editor.origin().version) {
      choose(version, editor.origin().version);
      void choice.load();
    }
    void showError(undefined);
    say('');
    followExample();
    savedBar.changed();
    answers.changed();
    draft.changed(() => {
      if (choice.follow(editor.text())) void choice.load();
    });
  }

  const editor = createEditor({
    textarea,
    nonce: document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '',
    origin: { version: version.value, saved: undefined },
    complete(text, offset) {
      const catalogue = choice.catalogue();
      return catalogue === undefined ? null : completeQuery(text, offset, { catalogue, sites: choice.sites });
    },
    async findFaults(text) {
      const faults = syntaxFaults(text);
      if (faults.length > 0) return faults;
      const checked = await check({ text, version: version.value });
      if (text !== editor.text()) return [];
      const isChecked = checked.kind === 'checked';
      unchecked.textContent = isChecked ? '' : `Not checked while you type. ${checked.reason}`;
      return isChecked ? checked.query.faults.map((fault) => faultOf(text, fault)) : [];
    },
    onRepair: applyRepair,
    onChange: changed,
    onRun: () => void answers.run(),
    onSave: savedBar.save,
    onLeave: () => byId('run', HTMLButtonElement).focus(),
  });

  const onClick = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener('click', act);
  onClick('format', () => editor.setText(formatQuery(editor.text())));
  onClick('curl', () => void copyAsCurl(question()).then(say));
  example.addEventListener('change', takeExample);
  site.addEventListener('change', () => {
    editor.setText(withSite(editor.text(), site.value));
    void choice.load();
  });
  version.addEventListener('change', () => {
    editor.setOrigin({ ...editor.origin(), version: version.value });
    editor.recheck();
    void choice.load();
  });

  function open(text: string, origin: Partial<Origin>, fromLink = false): void {
    draft.opened(text, fromLink);
    editor.open(text, { version: version.value, saved: undefined, ...origin });
  }
  void openLinkedQuery((text, origin, changes) => {
    open(text, origin, true);
    if (changes === undefined) return;
    editor.setText(changes.text);
    editor.setOrigin({ ...editor.origin(), version: changes.version });
  })
    .catch((error) => say(messageOf(error)))
    .then(() => {
      choice.follow(editor.text());
      if (takeRun()) void answers.run();
      return choice.load();
    });
}

/** Fills the list of examples, and returns the text of each. */
function offerExamples(chooser: HTMLSelectElement, { examples }: Catalogue): readonly string[] {
  const none = new Option('Choose an example', '');
  none.disabled = true;
  chooser.replaceChildren(none, ...examples.map(({ title }, index) => new Option(title, String(index))));
  return examples.map(({ query }) => formatQuery(JSON.stringify(query)));
}

if (document.getElementById('playground') !== null) start();
