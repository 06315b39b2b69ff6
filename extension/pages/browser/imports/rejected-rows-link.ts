import { element } from '../shared/elements';
import type { JsonObject } from '../shared/rest-answer';

export function rejectedRowsLink(rows: readonly JsonObject[]): HTMLAnchorElement {
  const text = rows.map((one) => `${JSON.stringify(one)}\n`).join('');
  const link = element('a', 'Download them');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  link.download = 'rejected.ndjson';
  return link;
}
