import type { ColumnSource } from '../manifests/reader/format-schema';
import type { ReadableFormat, SourceFormat } from '../manifests/reader/formats';
import type { Manifest } from '../manifests/reader/manifest';

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

/** The page about import formats and how their fields are mapped. */
export function formatsPage({ formats }: Manifest): readonly string[] {
  const all = [...formats.values()];
  const readable = all.filter((format): format is ReadableFormat => !('refuse' in format));
  return [
    'The formats of `qal import --format`. Without this option, the format is recognized from the name and the beginning of the file.',
    ...readable.flatMap(formatBlocks),
    '## Files that cannot be imported',
    ['| file | reason and alternative |', '|---|---|', ...all.flatMap(refusalRow)].join('\n'),
  ];
}

function formatBlocks(format: ReadableFormat): readonly string[] {
  const rules = [...format.skip, ...Object.values(format.materials).flatMap(({ skip }) => skip)];
  const skipped = [...new Map(rules.map((rule) => [rule.because, rule])).values()].map(
    ({ because, unless }) =>
      unless === undefined ? because : `${because} (unless ${code(`--enable-${unless}`)})`,
  );
  return [
    `## ${format.name}`,
    `${format.about}.`,
    ...(format.pattern === undefined ? [] : [`Each line is ${code(format.pattern)}.`]),
    ...(skipped.length === 0 ? [] : [`Skipped and counted: ${skipped.join('; ')}.`]),
    ...Object.entries(format.materials).map(([material, { columns }]) =>
      [
        `| ${material} | from |`,
        '|---|---|',
        ...Object.entries(columns).map(([name, source]) => `| ${name} | ${sourceText(source, format)} |`),
      ].join('\n'),
    ),
  ];
}

function sourceText(source: ColumnSource, { fields }: ReadableFormat): string {
  if (typeof source !== 'string' && 'value' in source) return `always ${source.value}`;
  const names = [typeof source === 'string' ? source : source.from].flat();
  return names.map((name) => code(fields[name] ?? name)).join(', ');
}

const refusalRow = (format: SourceFormat): readonly string[] =>
  'refuse' in format ? [`| ${format.about} | ${format.refuse} |`] : [];
