// The tool qa_get_guide: the compact guide, then parts on demand.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { InstalledContract } from '../contracts/contract';
import { askedParts, pickParts } from '../guide/asked-parts';
import { buildGuide } from '../guide/build-guide';
import { GUIDE_PARTS } from '../guide/guide';
import { guideContext } from '../routes/guide-route';
import type { McpCaller } from './caller';
import { siteLines } from './site-lines';
import { READS_ONLY, runTool, textResult } from './tool';

export function registerGetGuide(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Read the guide',
    description:
      'How to ask: the query language, your sites, and the columns of all datasets. Call it first, without arguments. Further parts on demand: examples (worked queries), errors, materials (every column with its meaning), rules, sites, features.',
    inputSchema: {
      parts: z
        .array(z.enum(Object.keys(GUIDE_PARTS)))
        .min(1)
        .max(Object.keys(GUIDE_PARTS).length)
        .default(['compact'])
        .describe('Which parts; compact, about 5,000 tokens, is enough for most questions.'),
    },
    annotations: READS_ONLY,
  };
  server.registerTool('qa_get_guide', config, ({ parts }, call) =>
    runTool(caller, call, async ({ contract }) => textResult(await guideText(parts, contract, caller))),
  );
}

/** The texts as they are, the sites of the compact guide in lines, all else as JSON. */
async function guideText(
  parts: readonly string[],
  contract: InstalledContract,
  { analytics, user }: McpCaller,
): Promise<string> {
  const context = guideContext(analytics, contract, user, '');
  const asked = askedParts({ parts: parts.join(','), material: undefined }, contract, context.manifest);
  if (asked === undefined) throw new Error('A list of parts asks for parts.');
  const inLines = asked.parts.has('compact') && !asked.parts.has('sites');
  const guide = await buildGuide({ ...context, measured: inLines ? ['allpv'] : [] }, asked);
  const others = Object.entries(pickParts(contract.format.guide(guide), asked)).filter(
    ([key]) => key !== 'documentation' && !(inLines && key === 'sites'),
  );
  const texts = guide.documentation.sections.map(({ content }) => content);
  const sites = inLines ? [siteLines(guide.sites)] : [];
  return [...texts, ...sites, JSON.stringify(Object.fromEntries(others))].join('\n');
}
