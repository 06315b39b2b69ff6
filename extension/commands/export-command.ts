import { countOf, WrongUsage } from '../../host-shim/extension-api';
import { ExportError, exportSite } from '../data/export/export-site';
import { EXPORT_FORMATS } from '../data/export/row-reader';
import { storedMaterials } from '../data/storage/stored-materials';
import { writeParquet } from '../query/columns/write-parquet';
import { type AnalyticsCommand, dayOption, failJob, textOption } from './analytics-command';

export const exportCommand: AnalyticsCommand = {
  name: 'export',
  summary: 'write the rows of a site to files that can be imported, and its settings and goals to site.yaml',
  args: [{ name: 'folder', about: 'created if it is missing' }],
  options: [
    { flags: '--site <id>', about: 'tracking id of the site', required: true },
    { flags: '--material <name>', about: 'only rows of this dataset' },
    dayOption('--from <day>', 'first day, in the time zone of the site'),
    dayOption('--to <day>', 'last day, in the time zone of the site'),
    {
      flags: '--format <format>',
      about: 'ndjson and csv can be imported; parquet is for other tools',
      choices: EXPORT_FORMATS,
      fallback: 'ndjson',
    },
  ],
  async run({ host, manifest, workers }, input) {
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
    const site = textOption(options.site) ?? '';
    workers.checkSite(site);
    const progress = input.openProgress();
    try {
      const files = await exportSite({
        write: host.database.write,
        manifest,
        material,
        signal,
        writeParquet,
        site,
        folder: args[0] ?? '.',
        format: EXPORT_FORMATS.find((format) => format === options.format) ?? 'ndjson',
        days: from === undefined || to === undefined ? undefined : { from, to },
        onProgress: (file, bytes) => progress.show(bytes, `${file}, ${(bytes / 1e6).toFixed(1)} MB`),
      });
      progress.close();
      input.table(files.map(({ file, rows }) => [file, countOf(rows, 'row')]));
    } catch (error) {
      progress.close();
      failJob(error, ExportError);
    }
  },
};
