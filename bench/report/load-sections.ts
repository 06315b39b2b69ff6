// Words and tables on the load.
import type { LoadCost } from '../data/load';
import { MATERIALS } from '../data/shape';
import { table } from '../page';

/** The imports of one material, of all sites together. */
export function ofMaterial(costs: readonly LoadCost[], name: string): LoadCost | undefined {
  const own = costs.filter(({ material }) => material === name);
  // Memory is that of the largest import, which has most time to grow.
  const [largest] = [...own].sort((a, b) => b.rows - a.rows);
  if (largest === undefined) return undefined;
  return {
    ...largest,
    rows: own.reduce((sum, { rows }) => sum + rows, 0),
    seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
    cpuSeconds: own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  };
}

/** Rows per second and memory of each material. */
export function loadSections(costs: readonly LoadCost[]): readonly string[] {
  const rows = MATERIALS.flatMap((material) => {
    const cost = ofMaterial(costs, material);
    if (cost === undefined) return [];
    const { rows: count, seconds, cpuSeconds, earlyMegabytes, peakMegabytes } = cost;
    return [
      [
        material,
        count.toLocaleString('en'),
        seconds.toFixed(1),
        Math.round(count / seconds).toLocaleString('en'),
        ((cpuSeconds / count) * 1e6).toFixed(1),
        earlyMegabytes.toFixed(0),
        peakMegabytes.toFixed(0),
      ],
    ];
  });
  return [
    '### Load\n\nThrough the importer from files of NDJSON with ids given, one import for each site. MB is the whole process (importer, host and benchmark) at its highest, in the import of the largest site: within the first quarter of the file, and over all of it.',
    table(
      ['material', 'rows', 'seconds', 'rows/s', 'µs of CPU in Node per row', 'MB, first quarter', 'MB'],
      rows,
    ),
  ];
}
