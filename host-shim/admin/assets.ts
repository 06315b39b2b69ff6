// Serves the output of bundle.ts. A file's name changes with its content, so browsers may cache the files forever.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import compression from 'compression';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { ADMIN_PATH, PACKAGE_ROOT } from '../extension-api';

export const ASSETS_PATH = `${ADMIN_PATH}/assets`;
export const PUBLIC_FOLDER = join(PACKAGE_ROOT, 'dist', 'public');
export const ASSET_LIST = 'assets.json';

/** Returns a function that returns a list written by the build. The file is read on the first call. */
export function builtList<Entry>(file: string, entry: z.ZodType<Entry>, what: string) {
  let known: Readonly<Record<string, Entry>> | undefined;
  return () => {
    try {
      known ??= z.record(z.string(), entry).parse(JSON.parse(readFileSync(file, 'utf8')));
      return known;
    } catch (cause) {
      throw new Error(`${what} not built: run "make build".`, { cause });
    }
  };
}

const assets = builtList(join(PUBLIC_FOLDER, ASSET_LIST), z.string(), 'The browser modules are');

/** `name`: for example `extension/playground`. Throws if there is no such module. */
export const assetUrl = (name: string): string => urlOf(name, 'browser module');

/** `name`: for example `host/admin`. Throws if there is no such stylesheet. */
export const styleUrl = (name: string): string => urlOf(`${name}.css`, 'stylesheet');

function urlOf(name: string, kind: string): string {
  const file = assets()[name];
  if (file === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return `${ASSETS_PATH}/${file}`;
}

export function serveAssets(): RequestHandler[] {
  return [
    compression(),
    express.static(PUBLIC_FOLDER, { immutable: true, maxAge: '1y', index: false, redirect: false }),
  ];
}
