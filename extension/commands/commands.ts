import type { AnalyticsSettings } from '../api/settings';
import type { AnalyticsCommand } from './analytics-command';
import { columnsStatusCommand, dropColumnsCommand, rebuildColumnsCommand } from './columns-commands';
import { demoCommand } from './demo-command';
import { distributeCommand } from './distribute-command';
import { explainCommand } from './explain-command';
import { exportCommand } from './export-command';
import { listFeaturesCommand, setFeatureCommand } from './features-commands';
import { importCommand } from './import-command';
import {
  closeGapCommand,
  listGapsCommand,
  listImportsCommand,
  showImportCommand,
  undoImportCommand,
} from './imports-commands';
import { mcpCommand } from './mcp-command';
import { queryCommand } from './query-command';
import {
  auditCommand,
  deleteDataCommand,
  eraseVisitorCommand,
  exportVisitorCommand,
  removeSiteCommand,
} from './removal-commands';
import { applySitesCommand, listSitesCommand } from './sites-commands';

export const analyticsCommands = (settings: AnalyticsSettings): readonly AnalyticsCommand[] => [
  queryCommand,
  explainCommand,
  importCommand,
  listImportsCommand,
  showImportCommand,
  undoImportCommand,
  listGapsCommand,
  closeGapCommand,
  exportCommand,
  applySitesCommand,
  listSitesCommand,
  removeSiteCommand,
  deleteDataCommand,
  exportVisitorCommand,
  eraseVisitorCommand,
  auditCommand,
  listFeaturesCommand,
  setFeatureCommand,
  columnsStatusCommand,
  rebuildColumnsCommand,
  dropColumnsCommand,
  distributeCommand,
  demoCommand,
  mcpCommand(settings),
];

/** Summaries of the command groups, such as `imports` for `imports list`. */
export const COMMAND_GROUPS = {
  imports: 'list and undo imports',
  sites: 'manage sites',
  data: 'delete rows',
  visitors: 'export and erase visitors',
  features: 'switch features of the query language on and off',
  database: 'distribute the database over several machines',
  columns: 'manage the columnar copy, from which a server answers queries',
} as const;
