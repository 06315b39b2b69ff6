// Who is calling over MCP. Each tool call runs under the newest contract with the current switches, with the rights of this user.
import type { HostUser } from '../../../host-shim/extension-api';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Contract } from '../../language/types/contract';
import type { Analytics } from '../analytics';
import type { Ran } from '../routes/recorded';

export interface McpCaller {
  readonly analytics: Analytics;
  readonly user: HostUser;
  /** Identifies an internal error in the log. */
  readonly requestId: string;
  /** Aborted when the client no longer waits for an answer. */
  readonly signal: AbortSignal;
  /** Runs and records a query. */
  record<Answer>(
    document: QueryDocument,
    contract: Contract,
    run: () => Promise<Ran<Answer>>,
  ): Promise<Answer>;
}
