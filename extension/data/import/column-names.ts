// The names that files use for the columns behind a stored field.
import type { Material } from '../../../manifests/reader/manifest';
import { importableColumns, importName } from './column-setters';

/** Fields without a column of that name: their values come from these keys. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ page_state_id: 'page_id', reader_state_id: 'reader_id', view_source_id: 'source_id' },
  ...{ view_medium_id: 'medium_id', view_campaign_id: 'campaign_id', view_content_id: 'content_id' },
};
/** The URL identifies a page; a view does not change it. */
const IDENTITY: ReadonlySet<string> = new Set(['url']);

/** The columns of files that become the field of a stored row, joined for a message. */
export function columnsBehind(material: Material, field: string): string {
  const key = KEYS[field] ?? field;
  const columns = importableColumns(material).filter((column) => {
    if (column.via === undefined) return (column.field ?? importName(column)) === field;
    return column.via === key && (key === field || !IDENTITY.has(column.name));
  });
  return columns.map(importName).join(' or ') || field;
}
