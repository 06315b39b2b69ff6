// Reads the operating system, browser and device type from a user agent, without versions, because versions in user agents are
// frozen (Windows 11 reports 10).
import { BROWSER_MAP, parse } from 'bowser';
import { memoized } from '../bounded-maps';
import { MAX_AGENT_LENGTH } from '../limits';

export interface Agent {
  readonly os: string | undefined;
  readonly browser: string | undefined;
  /** PC, tablet or SP; undefined for televisions, consoles and unknown devices. */
  readonly device_type: string | undefined;
}

const AGENTS = 20_000;
/** For an unknown browser, the parser returns whatever is before a slash. */
const BROWSERS: ReadonlySet<string> = new Set(Object.values(BROWSER_MAP));
const OTHER = 'other';
/** The virtual machine that runs Android apps. */
const DALVIK = /^Dalvik\/.*\bAndroid\b/;
const DEVICES: Readonly<Record<string, string>> = { desktop: 'PC', tablet: 'tablet', mobile: 'SP' };

/** A user agent parser with a cache. */
export function agentReader(): (text: string) => Agent {
  const read = memoized(AGENTS, readAgent);
  return (text) => read(text.slice(0, MAX_AGENT_LENGTH));
}

function readAgent(text: string): Agent {
  const { os, browser, platform } = parse(text);
  const device = DALVIK.test(text) ? 'SP' : DEVICES[platform.type ?? ''];
  return {
    os: os.name,
    browser: browser.name && (BROWSERS.has(browser.name) ? browser.name : OTHER),
    device_type: device,
  };
}
