// materials.yaml for clients, without disabled features or anything that only imports need.
import { dump, load } from 'js-yaml';
import type { Contract } from './manifest';
import { materialsFileSchema } from './schema';

const HEADER = `# The datasets: what can be queried, and what each column means.
# type: a flag is 0 or 1; a datetime is read in the tz of the query. join: keys, and how many rows a row may match.
# time: the column that must be in the queried period; without it, each row covers the whole period.
# joined: always = the period does not restrict its rows on the joined side. like: it also has the columns of that dataset.
# decoders: what coded numbers mean, also in later datasets that have the column.
# since: the update that added it, if later than the version of the contract.
`;

export function servedMaterials(
  yaml: string,
  { version }: Pick<Contract, 'version'>,
  isOn: (feature: string) => boolean,
  names: ReadonlySet<string>,
): string {
  const later = (since: string | undefined) => (since !== undefined && since > version ? since : undefined);
  const isServed = ({ feature }: { readonly feature?: string | undefined }) =>
    feature === undefined || isOn(feature);
  const decoded = new Set<string>();
  /** A decoder is not repeated if an earlier dataset has the same one for a column of that name. */
  const isNew = ([column, words]: readonly [string, object]): boolean => {
    const text = JSON.stringify([column, words]);
    return !decoded.has(text) && decoded.add(text).size > 0;
  };
  const materials = Object.entries(materialsFileSchema.parse(load(yaml)).materials).flatMap(
    ([name, material]) => {
      if (material.hidden || !isServed(material) || !names.has(name)) return [];
      const { row, dataset_id, supports_all, like, time, join, joined, decoders } = material;
      const columns = Object.entries(material.columns).flatMap(([column, definition]) => {
        if (!isServed(definition)) return [];
        const { type, nullable, about } = definition;
        const since = later(definition.since);
        return [[column, { type, ...(nullable && { nullable }), ...(since && { since }), about }]];
      });
      const ownDecoders = Object.entries(decoders).filter(isNew);
      const served = {
        row,
        since: later(material.since),
        dataset_id,
        supports_all,
        like,
        time: time?.column,
        join,
        joined,
        decoders: ownDecoders.length === 0 ? undefined : Object.fromEntries(ownDecoders),
        columns: Object.fromEntries(columns),
      };
      return [[name, Object.fromEntries(Object.entries(served).filter(([, value]) => value !== undefined))]];
    },
  );
  const text = dump({ materials: Object.fromEntries(materials) }, { lineWidth: -1, flowLevel: 4, indent: 1 });
  return HEADER + text;
}
