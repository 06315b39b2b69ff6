// The compact guide: one text with the instructions, the sites, the names of all columns, and what is off here.
import { materialNames, materialOf } from '../../manifests/reader/catalog';
import type { Manifest, Material } from '../../manifests/reader/manifest';
import { COLUMN_TYPES, type ColumnType } from '../../manifests/reader/schema';
import { type Contract, isEnabled } from '../qal/types/contract';
import type { GuideSite } from './guide';

interface Catalogue {
  readonly contract: Contract;
  readonly manifest: Manifest;
}

/** More sites would crowd out the rest. */
const MOST_SITES = 20;
const MOST_NAMES = 20;

/** Composes the text. `sites` have the days of their page views. */
export function compactGuide(
  instructions: string,
  sites: readonly GuideSite[],
  catalogue: Catalogue,
): string {
  const { contract, manifest } = catalogue;
  const off = [...contract.rules.features].flatMap(([name, { enabled }]) => (enabled ? [] : [name]));
  const materials = materialNames(manifest, contract.rules).flatMap(
    (name) => materialOf(manifest, contract.rules, name) ?? [],
  );
  const onlyOn = ({ feature }: { readonly feature?: string | undefined }) =>
    feature === undefined || isEnabled(contract, feature);
  return [
    instructions.trimEnd(),
    '',
    '## Sites',
    '',
    ...sites.slice(0, MOST_SITES).map(siteLine),
    ...(sites.length > MOST_SITES
      ? [`- and ${sites.length - MOST_SITES} more: ask for the part sites.`]
      : []),
    '',
    '## Columns by type',
    '',
    ...materials
      .filter(onlyOn)
      .map((material, index) => materialLine(material, materials.slice(0, index), onlyOn)),
    '',
    `Off here: ${off.join(', ')}.`,
    '',
  ].join('\n');
}

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

const TYPE_NAMES: Readonly<Record<ColumnType, string>> = {
  id: 'ids',
  int: 'whole numbers',
  num: 'numbers',
  flag: '0 or 1',
  text: 'text',
  datetime: 'date-time',
  date: 'date',
};

function materialLine(
  { name, columns, join }: Material,
  before: readonly Material[],
  isOn: (column: { readonly feature?: string | undefined }) => boolean,
): string {
  const like = before.find((other) => [...other.columns.keys()].every((column) => columns.has(column)));
  const named = [...columns.values()].filter(
    (column) => isOn(column) && like?.columns.has(column.name) !== true,
  );
  const groups = COLUMN_TYPES.flatMap((type) => {
    const names = named.filter((column) => column.type === type).map((column) => column.name);
    return names.length === 0 ? [] : [`${TYPE_NAMES[type]}: ${names.join(' ')}`];
  });
  const keys = [...join.keys()];
  const parts = [
    ...(keys.length > 0 ? [`join by ${keys.join(' ')}`] : []),
    ...(like === undefined ? [] : [`all columns of ${like.name}`]),
    ...groups,
  ];
  return `- \`${name}\`: ${parts.join('; ')}`;
}
