// Owns the binding of a catalogue column to where its value comes from.
import type { Column, Material } from '../../../manifests/reader/manifest';
import type { BoundColumn, StoredOrigin } from '../types/resolved-query';

/** Binds a column of a material; the manifest has been checked, so that every key has its dictionary. */
export function bindColumn(material: Material, column: Column): BoundColumn {
  return {
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    origin: originOf(material, column),
  };
}

function originOf(material: Material, column: Column): StoredOrigin {
  if (column.part !== undefined) return { kind: 'time-part', part: column.part, field: material.time.field };
  if (column.made === 'ua') {
    return {
      kind: 'joined-texts',
      parts: ['os', 'browser'].map((part) => originOf(material, columnOf(material, part))),
    };
  }
  if (column.via !== undefined) {
    const dictionary = material.keys.get(column.via);
    if (dictionary === undefined)
      throw new Error(`The manifest has no dictionary for ${column.via} of ${material.name}.`);
    return lookup(dictionary, column.via, column.field ?? column.name, column.bit ?? null);
  }
  return { kind: 'field', field: column.field ?? column.name };
}

const lookup = (dictionary: string, key: string, field: string, bit: number | null): StoredOrigin => ({
  kind: 'lookup',
  dictionary,
  key,
  field,
  bit,
});

/** A column that the manifest is known to have. */
export function columnOf(material: Material, name: string): Column {
  const column = material.columns.get(name);
  if (column === undefined) throw new Error(`The manifest has no column ${name} in ${material.name}.`);
  return column;
}
