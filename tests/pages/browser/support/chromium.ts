// Finds and starts Chromium. Without it, the browser tests are skipped, or fail if QAL_REQUIRE_BROWSER=1. CHROMIUM_PATH selects a
// different program.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** In order of preference: the headless shell uses half as much processor time as the others. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // A separate process would use ten percent more processor time.
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Otherwise, Chromium would start twice as many processes, most of them spare ones.
  '--renderer-process-limit=1',
  // Otherwise, every page of a context would start in a new process, which takes as long as showing a small page.
  '--disable-site-isolation-trials',
];
/** A generous limit for busy machines. Normally, everything is much faster. */
const TIMEOUT_MS = 120_000;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the browser. Undefined if it is not installed. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  if (environment.CHROMIUM_PATH) return environment.CHROMIUM_PATH;
  const folders = [...(environment.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin'];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

/** Starts the browser with a temporary profile, which is removed when it closes. */
export async function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS, timeout: TIMEOUT_MS });
}

/** The browser of this worker. It is used by one test file after another, because it takes a long time to start and warm up. */
let shared: Browser | undefined;

async function sharedBrowser(executablePath: string): Promise<Browser> {
  if (shared?.isConnected() !== true) shared = await startUnreferenced(executablePath);
  return shared;
}

/** Starts a browser that does not keep this process running. Playwright kills it when this process exits. */
async function startUnreferenced(executablePath: string): Promise<Browser> {
  const started: ChildProcess[] = [];
  const note = (message: unknown) => started.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    return await startChromium(executablePath);
  } finally {
    unsubscribe('child_process', note);
    for (const child of started) {
      child.unref();
      for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref();
    }
  }
}

/** The browser that all tests in this file share. */
export interface BorrowedBrowser {
  browser(): Browser;
}

/** Like describe(), for tests that share a browser. Without a browser, the tests are skipped, and their title shows it. */
export function describeInBrowser(title: string, tests: (borrowed: BorrowedBrowser) => void): void {
  const executable = findChromium();
  if (executable === undefined && process.env.QAL_REQUIRE_BROWSER !== '1') {
    describe.skip(`${title} (skipped: Chromium was not found, see CHROMIUM_PATH)`, () => {
      tests({ browser: () => missing() });
    });
    return;
  }
  describe(title, () => {
    let started: Browser | undefined;
    beforeAll(async () => {
      started = await sharedBrowser(executable ?? missing());
    });
    tests({ browser: () => started ?? missing() });
  });
}

function missing(): never {
  throw new Error(`No browser: install Chromium (${NAMES.join(', ')} on the PATH) or set CHROMIUM_PATH.`);
}
