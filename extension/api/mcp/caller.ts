// Who asks over MCP. Every tool call runs under the newest contract with the present switches, with the rights of this user.
import type { HostUser } from '../../../host-shim/extension-api';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Contract } from '../../language/types/contract';
import type { Analytics } from '../analytics';
import type { Ran } from '../routes/recorded';

export interface McpCaller {
  readonly analytics: Analytics;
  readonly user: HostUser;
  /** Names a fault of ours in the log. */
  readonly requestId: string;
  /** Aborted when nobody waits for an answer any more. */
  readonly signal: AbortSignal;
  /** Runs a query, and leaves the record that this way of asking leaves. */
  record<Answer>(
    document: QueryDocument,
    contract: Contract,
    run: () => Promise<Ran<Answer>>,
  ): Promise<Answer>;
}
