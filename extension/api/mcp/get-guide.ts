// The qa_get_guide tool: the compact guide, then parts on demand.

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { channelNames } from '../../../manifests/reader/channels';
import type { InstalledContract } from '../contracts/contract';
import { buildGuide } from '../guide/build-guide';
import { GUIDE_PARTS, type GuideSite } from '../guide/guide';
import { pickParts, requestedParts } from '../guide/requested-parts';
import { guideContext } from '../routes/guide-route';
import { type McpCaller, READ_ONLY, runTool, textResult } from './tool';

export function registerGetGuide(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Read the guide',
    description:
      'Explains the query language, your sites, and the columns of all datasets. Call it first, without arguments. More parts on demand: examples (worked queries), errors, materials (every column with its meaning), rules, sites, features.',
    inputSchema: {
      parts: z
        .array(z.enum(Object.keys(GUIDE_PARTS)))
        .min(1)
        .max(Object.keys(GUIDE_PARTS).length)
        .default(['compact'])
        .describe('The parts to return. The part compact (about 5,000 tokens) is enough for most questions.'),
    },
    annotations: READ_ONLY,
  };
  server.registerTool('qa_get_guide', config, ({ parts }, call) =>
    runTool(caller, call, async (contract) => textResult(await guideText(parts, contract, caller))),
  );
}

/** Documents are included verbatim, each site of the compact guide as one line, and everything else as JSON. */
async function guideText(
  parts: readonly string[],
  contract: InstalledContract,
  { analytics, user }: McpCaller,
): Promise<string> {
  const context = guideContext(analytics, contract, { user, home: analytics.host.publicUrl ?? '' });
  const requested = requestedParts(
    { parts: parts.join(','), material: undefined },
    contract,
    context.manifest,
  );
  if (requested === undefined) throw new Error('The list of parts is empty.');
  const inLines = requested.parts.has('compact') && !requested.parts.has('sites');
  const guide = await buildGuide({ ...context, measured: inLines ? ['allpv'] : [] }, requested);
  const others = Object.entries(pickParts(contract.format.guide(guide), requested)).filter(
    ([key]) => key !== 'documentation' && !(inLines && key === 'sites'),
  );
  const texts = guide.documentation.sections.map(({ content }) => content);
  const sites = inLines ? [siteLines(guide.sites)] : [];
  return [...texts, ...sites, JSON.stringify(Object.fromEntries(others))].join('\n');
}

/** A longer list of sites would crowd out the rest of the guide. */
const MAX_SITES = 20;
const MAX_NAMES = 20;

function siteLines(sites: readonly GuideSite[]): string {
  const more = sites.length - MAX_SITES;
  return [
    '## Sites',
    '',
    ...sites.slice(0, MAX_SITES).map(siteLine),
    ...(more > 0 ? [`- and ${more} more: request the \`sites\` part.`] : []),
    '',
  ].join('\n');
}

function siteLine(site: GuideSite): string {
  const { trackingId, name, timezone, availability, goals, observedEvents, pageFlags, channels } = site;
  const isAll = trackingId === 'all';
  const views = availability?.get('allpv');
  const events = [...(observedEvents ?? [])].map(
    ([event, parameters]) => `events.${event}(${[...parameters.keys()].join(' ')})`,
  );
  return [
    `- \`${trackingId}\`: ${name}, ${timezone}`,
    ...(views == null ? [] : [`page views from ${views.firstDay} to ${views.lastDay}`]),
    ...(!isAll && views == null ? ['no page views yet'] : []),
    ...listed(goals.map((goal) => `goal_${goal.id} ${JSON.stringify(goal.name)}`)),
    ...(isAll ? [] : listed(events)),
    ...(pageFlags === null ? [] : [`page flags: ${pageFlags.join(', ') || 'none'}`]),
    ...(channels === null ? [] : [`custom channels: ${channelNames(channels).join(', ')}`]),
  ].join('; ');
}

function listed(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length - MAX_NAMES;
  return [
    [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`and ${more} more (\`sites\` part)`] : [])].join(', '),
  ];
}
