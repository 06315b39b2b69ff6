import { type CommandInput, WrongUsage } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import type { Streams } from '../api/mcp/stdio';
import type { AnalyticsSettings } from '../api/settings';
import { type AnalyticsCommand, textOption } from './analytics-command';

/** Loaded on demand, because loading the MCP library takes a tenth of a second. */
const loadMcp = () => import('../api/mcp/stdio.js');
const loadRelay = () => import('../api/mcp/relay.js');

/** With `--url`, the command relays to another installation and needs no local database. */
export const mcpCommand = ({ mcpUser, mcpPassword }: AnalyticsSettings): AnalyticsCommand => ({
  name: 'mcp',
  summary: 'serve the Model Context Protocol on standard input and output',
  options: [
    {
      flags: '--url <address>',
      about:
        'MCP address of another installation (http://host/wp-json/qa-platform/mcp); set QAL_USER and QAL_APPLICATION_PASSWORD to log in',
    },
  ],
  runAlone(input) {
    const url = textOption(input.options.url);
    if (url === undefined) return undefined;
    return relay(addressOf(url), mcpUser, mcpPassword, input);
  },
  async run(analytics, input) {
    const { serveOnStdio } = await loadMcp();
    await serveOnStdio(callerOf(analytics, input), await streamsOf(input));
  },
});

/** The error messages do not repeat the address, because it may contain a password. */
function addressOf(text: string): URL {
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new WrongUsage('--url must be an address that begins with http:// or https://.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new WrongUsage(
      '--url must not contain a login, because every program on this machine could read it. Set QAL_USER and QAL_APPLICATION_PASSWORD instead.',
    );
  return url;
}

async function relay(
  url: URL,
  user: string | undefined,
  password: string | undefined,
  input: CommandInput,
): Promise<void> {
  if (user === undefined || password === undefined)
    throw new WrongUsage('--url needs QAL_USER and QAL_APPLICATION_PASSWORD in the environment.');
  const account = Buffer.from(`${user}:${password}`).toString('base64');
  const { relayOnStdio } = await loadRelay();
  await relayOnStdio(url, `Basic ${account}`, await streamsOf(input));
}

const streamsOf = async ({ openFile, out, signal }: CommandInput): Promise<Streams> => ({
  stdin: (await openFile('-')).stream,
  out,
  signal,
});

/** Queries from commands are not recorded. */
const callerOf = (analytics: Analytics, { user, signal }: CommandInput) => ({
  analytics,
  user,
  signal,
  requestId: 'qal mcp',
  allRowsAt: 'qal query --version-date latest --format csv',
  record: async <Answer>(
    _document: unknown,
    _contract: unknown,
    run: () => Promise<{ readonly answer: Answer }>,
  ) => (await run()).answer,
});
