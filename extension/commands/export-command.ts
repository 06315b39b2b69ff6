// qal export: writes a site to files that can be imported again.
import { countOf, JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { EXPORT_FORMATS } from '../data/export/export-query';
import { ExportError, exportSite } from '../data/export/export-site';
import { storedMaterials } from '../data/removal/removal-plan';
import { isLocalDate } from '../language/time/local-time';
import { writeParquet } from '../query/columns/write-parquet';
import { type AnalyticsCommand, textOption } from './analytics-command';

const day = (flags: string, about: string) => ({
  ...{ flags, about },
  check: (text: string) => (isLocalDate(text) ? undefined : 'a day such as 2026-05-01 is needed.'),
});

export const exportCommand: AnalyticsCommand = {
  name: 'export',
  summary:
    'write the rows of a site to files that can be imported again, and its settings and goals to site.yaml',
  args: [{ name: 'folder', about: 'created if it is missing' }],
  options: [
    { flags: '--site <id>', about: 'tracking id of the site', required: true },
    { flags: '--material <name>', about: 'only these rows' },
    day('--from <day>', 'first local day of the site'),
    day('--to <day>', 'last local day'),
    {
      flags: '--format <format>',
      about: 'ndjson and csv can be imported again; parquet is for other tools',
      choices: EXPORT_FORMATS,
      fallback: 'ndjson',
    },
  ],
  async run({ host, manifest }, input) {
    const { args, options, signal } = input;
    const [from, to] = [textOption(options.from), textOption(options.to)];
    if ((from === undefined) !== (to === undefined))
      throw new WrongUsage('Give both --from and --to, or neither.');
    if (from !== undefined && to !== undefined && from > to)
      throw new WrongUsage(`--from ${from} is after --to ${to}.`);
    const material = textOption(options.material);
    const names = storedMaterials(manifest).map(({ name }) => name);
    if (material !== undefined && !names.includes(material))
      throw new WrongUsage(`--material ${material} has no rows to export; name one of ${names.join(', ')}.`);
    const progress = input.openProgress();
    try {
      const files = await exportSite({
        ...{ write: host.database.write, manifest, material, signal, writeParquet },
        site: textOption(options.site) ?? '',
        folder: args[0] ?? '.',
        format: EXPORT_FORMATS.find((format) => format === options.format) ?? 'ndjson',
        days: from === undefined || to === undefined ? undefined : { from, to },
        onProgress: (file, bytes) => progress.show(bytes, `${file}, ${(bytes / 1e6).toFixed(1)} MB`),
      });
      progress.close();
      input.table(files.map(({ file, rows }) => [file, countOf(rows, 'row')]));
    } catch (error) {
      progress.close();
      throw error instanceof ExportError ? new JobFailed(error.message, { cause: error }) : error;
    }
  },
};
