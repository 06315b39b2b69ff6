// Owns how goals are told to people: the condition as a sentence, and what it matches.
// Goal or count in -> words, unescaped: a condition holds whatever somebody typed.
import type { GoalCount } from '../storage/goals/count-goal';
import type { Goal } from '../storage/goals/goal-schema';
import { countOf } from './count-of';

const MATCH_WORDS = {
  exact: 'is',
  prefix: 'begins with',
  contains: 'contains',
  regex: 'matches the regular expression',
} as const;

/** A part of a sentence; `isData`: as it stands in the data, to be set apart. */
export interface Words {
  readonly text: string;
  readonly isData: boolean;
}

const say = (text: string): Words => ({ text, isData: false });
const data = (text: string): Words => ({ text, isData: true });

/** What triggers the goal. */
export function conditionInWords(goal: Goal): readonly Words[] {
  switch (goal.type) {
    case 'gtype_page':
      return [say(`the URL ${MATCH_WORDS[goal.condition.match]}`), data(goal.condition.url)];
    case 'gtype_click': {
      const { selector, page } = goal.condition;
      const where = page === undefined ? [say('on any page')] : [say('on the page'), data(page)];
      return [say('a click on'), data(selector), ...where];
    }
    case 'gtype_event': {
      const { event, ...parameters } = goal.condition;
      const wanted = Object.entries(parameters).flatMap(([name, value], place) => [
        say(place === 0 ? 'with' : 'and'),
        data(`${name} = ${JSON.stringify(value)}`),
      ]);
      return [say('the event'), data(event), ...wanted];
    }
    case 'scroll_depth':
      return [say(`scrolled to ${goal.condition} % or deeper`)];
    case 'url_match':
      return [say('the URL contains'), data(goal.condition)];
    case 'click':
      return [say('a click on'), data(goal.condition), say('on any page')];
  }
}

/** What a condition matches; undefined where it has faults, which stand at their fields. */
export function countInWords(count: GoalCount): string | undefined {
  switch (count.kind) {
    case 'counted':
      return `Matches ${countOf(count.views, 'page view')} in ${countOf(count.sessions, 'session')}, so it would have ${countOf(count.sessions, 'conversion')}.`;
    case 'too-long':
      return `Too many to count in ${countOf(count.seconds, 'second')}. It can be saved all the same; that may take a while.`;
    case 'no-site':
      return 'There is no such site.';
    case 'faults':
      return undefined;
  }
}
