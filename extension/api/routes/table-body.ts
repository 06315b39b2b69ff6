// The JSON body of a response, whose rows are streamed from their stored JSON.
import { JsonList } from '../../../host-shim/extension-api';
import type { Row } from '../../language/types/compiled-query';
import type { Answer, KeptRows } from '../../language/types/query-result';
import { answerTooLarge } from '../../query/read-result';
import { answerOf, type Envelope, type InstalledContract } from '../contracts/contract';

/** The rows are read while the body is sent, so they must be released only afterwards. */
export function tableBody(
  contract: InstalledContract,
  answer: Answer<KeptRows>,
  envelope: Envelope,
  { milliseconds, maxBytes }: { readonly milliseconds: number; readonly maxBytes: number },
): unknown {
  const columns = answer.columns.map(({ name }) => name);
  const rows = new BoundedRows(answer, maxBytes);
  return answerOf(contract, { ...answer, columns, rows }, envelope, milliseconds);
}

/** The rows as stored. If a contract writes them in another form, the size limit also applies to that form. */
class BoundedRows extends JsonList<Row> {
  constructor(
    private readonly answer: Answer<KeptRows>,
    private readonly maxBytes: number,
  ) {
    super(() => answer.rows.texts());
  }

  override mapBatches(change: (rows: readonly Row[]) => readonly unknown[]): JsonList {
    const { columns, rows, rowCount } = this.answer;
    const empty = [columns.map(() => null)];
    const added = JSON.stringify(change(empty)).length - JSON.stringify(empty).length;
    if (rows.bytes + rowCount * added > this.maxBytes) throw answerTooLarge(this.maxBytes);
    return super.mapBatches(change);
  }
}
