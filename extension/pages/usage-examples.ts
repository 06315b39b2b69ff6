// Examples shown with a new application password: shell commands, and configuration for AI clients. The query covers all sites if
// the contract supports it, so it works for every user who has a site.
import { resolve } from 'node:path';
import { type Filters, type KnownSite, shellQuoted, type UsageExample } from '../../host-shim/extension-api';
import { type Analytics, contractOf } from '../api/analytics';
import { MCP_PATH } from '../api/mcp/mcp-routes';
import { openApiRoute } from '../api/routes/schema-routes';
import { topPagesQuery } from '../api/top-pages-query';
import { permittedSites } from '../data/storage/sites/list-sites';
import { type Contract, isEnabled } from '../language/types/contract';

const INSTRUCTIONS = [
  'This server answers questions about how websites are used.',
  'Send every request with HTTP Basic authentication: the user is QAL_USER, the password is QAL_APPLICATION_PASSWORD.',
  'First GET QAL_BASE_URL/guide: it lists the sites, the datasets ("materials") with their columns, and the rules of the query language.',
  'Then POST QAL_BASE_URL/query with Content-Type application/json and a body {"qal": {...}}.',
  'If the response is an error, read its hint and details: details.repaired is the corrected query.',
  'The OpenAPI document at QAL_OPENAPI_URL describes both routes.',
].join(' ');

/** The top pages of the last seven days, with aggregates if the contract has them. */
function exampleQuery(contract: Contract, site: KnownSite | undefined, now: Date): object {
  const trackingId = isEnabled(contract, 'materials_supports_all') ? 'all' : (site?.trackingId ?? 'SITE');
  return topPagesQuery({
    trackingId,
    timezone: site?.timezone ?? 'UTC',
    days: 7,
    now,
    counts: isEnabled(contract, 'calc') && isEnabled(contract, 'sort'),
  });
}

export async function usageExamples(
  analytics: Analytics,
  { login, secret, restRoot, sites }: Filters['application_password_examples']['context'],
): Promise<readonly UsageExample[]> {
  const { host, settings } = analytics;
  const base = restRoot + settings.namespace;
  const account = shellQuoted(`${login}:${secret}`);
  const [contract, [site]] = await Promise.all([
    contractOf(analytics, 'latest'),
    permittedSites(host.database.read, sites),
  ]);
  const body = JSON.stringify(exampleQuery(contract, site, host.clock()));
  const mcp = base + MCP_PATH;
  const overHttp = {
    type: 'http',
    url: mcp,
    headers: { Authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}` },
  };
  const throughProgram = {
    command: resolve(process.argv[1] ?? 'qal'),
    args: ['mcp', '--url', mcp],
    env: { QAL_USER: login, QAL_APPLICATION_PASSWORD: secret },
  };
  const configuration = {
    env: {
      QAL_BASE_URL: base,
      QAL_OPENAPI_URL: restRoot + openApiRoute(settings.namespace).slice(1),
      QAL_USER: login,
      QAL_APPLICATION_PASSWORD: secret,
    },
    instructions: INSTRUCTIONS,
  };
  return [
    {
      title: 'See what is available',
      about: 'The guide: sites, datasets, columns and rules. Clients read it first.',
      text: `curl -s -u ${account} ${shellQuoted(`${base}/guide`)}`,
    },
    {
      title: 'Run a query',
      about: 'The top pages of the last seven days.',
      text: `curl -s -u ${account} -H 'Content-Type: application/json' -d ${shellQuoted(body)} ${shellQuoted(`${base}/query?version=latest`)}`,
    },
    {
      title: 'Claude Code',
      about: 'One command that adds this server. It contains the application password.',
      text: `claude mcp add --transport http qal ${shellQuoted(mcp)} --header ${shellQuoted(`Authorization: ${overHttp.headers.Authorization}`)}`,
    },
    {
      title: 'MCP client',
      about:
        'The entry for clients that configure MCP servers in JSON, such as Cursor. It contains the application password.',
      text: JSON.stringify({ mcpServers: { qal: overHttp } }, null, 2),
    },
    {
      title: 'VS Code',
      about: 'The file .vscode/mcp.json. It contains the application password.',
      text: JSON.stringify({ servers: { qal: overHttp } }, null, 2),
    },
    {
      title: 'MCP client that starts programs',
      about: 'The entry for clients such as Claude Desktop, on a machine where this program is installed.',
      text: JSON.stringify({ mcpServers: { qal: throughProgram } }, null, 2),
    },
    {
      title: 'Configuration for AI clients without MCP',
      about:
        'Environment variables and instructions, for clients that accept them as JSON. It contains the application password, so keep it where only that client can read it.',
      text: JSON.stringify(configuration, null, 2),
    },
  ];
}
