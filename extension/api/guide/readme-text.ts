// The README of the guide: instructions, the names of all columns, and the features that are off here. It is enough for most
// questions. It contains nothing about sites, so it does not change with them.
import { materialNames, materialOf } from '../../../manifests/reader/catalog';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { COLUMN_TYPES, type ColumnType } from '../../../manifests/reader/schema';
import { type Contract, isEnabled } from '../../language/types/contract';

export function readmeText(
  instructions: string,
  { contract, manifest }: { readonly contract: Contract; readonly manifest: Manifest },
): string {
  const off = [...contract.rules.features].flatMap(([name, { enabled }]) => (enabled ? [] : [name]));
  const materials = materialNames(manifest, contract.rules).flatMap(
    (name) => materialOf(manifest, contract.rules, name) ?? [],
  );
  const onlyOn = ({ feature }: { readonly feature?: string | undefined }) =>
    feature === undefined || isEnabled(contract, feature);
  return [
    instructions.trimEnd(),
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
