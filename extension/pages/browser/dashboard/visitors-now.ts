// Shows the number of visitors in the last few minutes, and the age of the newest page view, since data may arrive every minute
// or once a day.
import { type DashboardHead, NOW_MINUTES, type PartAnswer } from '../../shared-types/dashboard-types';
import { byId, element } from '../shared/elements';
import { agoInWords, withUnit } from './in-words';

export const NOW_PARTS = NOW_MINUTES.map((minutes) => ({ id: `now ${minutes}` }));

const MAX_AGE_SECONDS = 60 * Math.max(...NOW_MINUTES);

export function showNow({ newest }: DashboardHead, answers: ReadonlyMap<string, PartAnswer>): void {
  const counts = NOW_MINUTES.map((minutes) => ({ minutes, answer: answers.get(`now ${minutes}`) }));
  const into = byId('now', HTMLElement);
  if (newest === null || counts.some(({ answer }) => answer === undefined)) return;
  const age = `Newest page view: ${agoInWords(newest)}`;
  if (newest > MAX_AGE_SECONDS) {
    into.replaceChildren(age);
    return;
  }
  const words = counts.flatMap(({ minutes, answer }, at) => {
    const [visitors = null] = answer?.rows?.[0] ?? [];
    const figure = typeof visitors === 'number' ? withUnit(visitors, 'count') : '–';
    return [at === 0 ? 'Visitors: ' : ', ', element('strong', figure), ` in the last ${minutes} minutes`];
  });
  into.replaceChildren(...words, `. ${age}`);
}
