// The sites of a caller as text: time zone, days of page views, goals and events, one line for each.
import type { GuideSite } from '../guide/guide';

/** More sites would crowd out the rest. */
const MOST_SITES = 20;
const MOST_NAMES = 20;

/** The text. The sites have the days of their page views. */
export const siteLines = (sites: readonly GuideSite[]): string =>
  [
    '## Sites',
    '',
    ...sites.slice(0, MOST_SITES).map(siteLine),
    ...(sites.length > MOST_SITES
      ? [`- and ${sites.length - MOST_SITES} more: ask for the part sites.`]
      : []),
    '',
  ].join('\n');

function siteLine({ trackingId, name, timezone, availability, goals, observedEvents }: GuideSite): string {
  const views = availability?.get('allpv');
  const events = [...(observedEvents ?? [])].map(
    ([event, parameters]) => `events.${event}(${[...parameters.keys()].join(' ')})`,
  );
  return [
    `- \`${trackingId}\`: ${name}, ${timezone}`,
    ...(views == null ? [] : [`page views from ${views.firstDay} to ${views.lastDay}`]),
    ...(trackingId !== 'all' && views == null ? ['no page views yet'] : []),
    ...listed(goals.map((goal) => `goal_${goal.id} ${JSON.stringify(goal.name)}`)),
    ...(trackingId === 'all' ? [] : listed(events)),
  ].join('; ');
}

const listed = (names: readonly string[]): readonly string[] => {
  if (names.length === 0) return [];
  const more = names.length - MOST_NAMES;
  return [[...names.slice(0, MOST_NAMES), ...(more > 0 ? [`and ${more} more (part sites)`] : [])].join(', ')];
};
