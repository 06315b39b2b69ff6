// The playground: an editor for queries on one side, their answers on the other. This module connects its parts.
// The text alone says what is asked; the choosers beside it write into it, or follow it.
import { makeAnswerSide } from './playground/answer-side';
import { createEditor } from './playground/editor';
import { makeExampleChooser } from './playground/example-chooser';
import { laidOut } from './playground/laid-out';
import { keptDraft, openLinked } from './playground/opened-query';
import { findPageParts, type PageParts } from './playground/page-parts';
import { makeKeeper } from './playground/query-keeper';
import { copyAsCurl, type Question } from './playground/question';
import { withSite } from './playground/site-in-text';
import { makeSiteKnowledge } from './playground/site-knowledge';
import { makeToldError } from './playground/told-error';

const REPAIRED =
  'The repair is in the editor, marked: run it if it is what you meant. Undo brings yours back.';

function start({ dataset: { namespace = '', login = '' } }: HTMLElement): void {
  const page = findPageParts();
  const { site, version, say } = page;
  page.textarea.value = keptDraft(login, version);

  const question = (): Question => ({ text: editor.text(), version: version.value });
  const keeper = makeKeeper(login, question);
  const examples = makeExampleChooser(page.example);
  const takeExample = () => editor.setText(examples.chosen() ?? editor.text());
  const onRepair = () => say(REPAIRED);
  const told = makeToldError(page.fault, () => editor, onRepair);
  const knowledge = makeSiteKnowledge({
    ...page,
    namespace,
    onKnown({ catalogue }) {
      examples.offer(catalogue);
      if (editor.text().trim() === '') takeExample();
      editor.recheck();
    },
    onUnknown(sentence) {
      say(`Nothing can be completed here. ${sentence}`);
      editor.recheck();
    },
  });
  const catalogue = () => knowledge.current()?.catalogue;
  const answers = makeAnswerSide({ page, namespace, told, question, catalogue });
  const follow = () => {
    if (knowledge.showSiteOf(editor.text())) void knowledge.learn();
  };
  const changed = () => {
    told.forget();
    say('');
    answers.changed();
    keeper.changed(follow);
  };
  const editor = createEditor({
    textarea: page.textarea,
    nonce: page.nonce,
    complete: knowledge.complete,
    faults: (text) => told.faultsIn(text, knowledge.current()?.checker),
    onChange: changed,
    onRun: () => void answers.run(),
    onLeave: () => page.run.focus(),
  });

  listen(page, {
    onSite: () => editor.setText(withSite(editor.text(), site.value)),
    onVersion: changed,
    learn: knowledge.learn,
    takeExample,
    format: () => editor.setText(laidOut(editor.text())),
    copy: () => void copyAsCurl(namespace, question(), login).then(say),
  });
  window.addEventListener('pagehide', keeper.keepNow);
  const put = (text: string) => {
    keeper.opened(text);
    editor.setText(text);
  };
  void openLinked({ namespace, version, put, say }).then(() => {
    knowledge.showSiteOf(editor.text());
    return knowledge.learn();
  });
}

interface Acts {
  onSite(): void;
  onVersion(): void;
  learn(): Promise<void>;
  takeExample(): void;
  format(): void;
  copy(): void;
}

/** What is known is learnt anew after each choice. */
function listen({ site, version, onClick }: PageParts, acts: Acts): void {
  site.addEventListener('change', () => {
    acts.onSite();
    void acts.learn();
  });
  version.addEventListener('change', () => {
    acts.onVersion();
    void acts.learn();
  });
  onClick('take-example', acts.takeExample);
  onClick('format', acts.format);
  onClick('curl', acts.copy);
}

const root = document.getElementById('playground');
if (root !== null) start(root);
