// Goals as text for pages. Conditions are user input and not escaped here.
import { countOf } from '../../host-shim/extension-api';
import { type GoalCount, TRIED_DAYS } from '../data/storage/goals/count-goal';
import type { Goal } from '../data/storage/goals/goal-schema';

const MATCHES = {
  exact: 'is',
  prefix: 'starts with',
  contains: 'contains',
  regex: 'matches the regular expression',
} as const;

const DATASETS: Readonly<Record<string, string>> = {
  allpv: 'Page views',
  click_event: 'Clicks',
  datalayer_event: 'Events',
  gsc: 'Search Console',
  page_version: 'Page versions',
  ga4_age_gender: 'GA4: age and gender',
  ga4_country: 'GA4: countries',
  ga4_region: 'GA4: regions',
};

/** The option for a dataset in a select element. */
export const datasetChoice = (name: string) => ({ value: name, label: DATASETS[name] ?? name });

export function conditionInWords(goal: Goal): string {
  switch (goal.type) {
    case 'gtype_page':
      return `the URL ${MATCHES[goal.condition.match]} ${goal.condition.url}`;
    case 'gtype_click': {
      const { selector, page } = goal.condition;
      return `a click on ${selector} ${page === undefined ? 'on any page' : `on the page ${page}`}`;
    }
    case 'gtype_event': {
      const { event, ...parameters } = goal.condition;
      const wanted = Object.entries(parameters).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      return `the event ${event}${wanted.length === 0 ? '' : ` with ${wanted.join(' and ')}`}`;
    }
    case 'scroll_depth':
      return `scrolled to ${goal.condition}% or deeper`;
    case 'url_match':
      return `the URL contains ${goal.condition}`;
    case 'click':
      return `a click on ${goal.condition} on any page`;
  }
}

export interface Matches {
  readonly message: string;
  /** True if nothing matches, which may be a mistake. */
  readonly isWarning: boolean;
}

const notice = (message: string): Matches => ({ message, isWarning: false });

/** undefined if the condition has faults, which the form shows next to their fields. */
export function matchesInWords(count: GoalCount): Matches | undefined {
  switch (count.kind) {
    case 'counted': {
      const { views, sessions, lastDay } = count;
      const days = `the ${TRIED_DAYS} days up to ${lastDay}`;
      if (views === 0)
        return {
          message: `No matches yet in ${days}. You can save the goal anyway, but check that its condition is spelled as in the data.`,
          isWarning: true,
        };
      return notice(
        `Matches ${countOf(views, 'page view')} in ${countOf(sessions, 'visit')} during ${days}, which makes ${countOf(sessions, 'conversion')}.`,
      );
    }
    case 'no-views':
      return notice('The site has no page views yet to test this on.');
    case 'too-long':
      return notice(
        `Too many to count in ${countOf(count.seconds, 'second')}. You can still save the goal, which may take a while.`,
      );
    case 'no-site':
      return notice('There is no such site.');
    case 'faults':
      return undefined;
  }
}
