// What browsers load beside the pages: bundles and the stylesheet, named by their content.
// The build writes them (bundle.ts); here they are found by name and served.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import compression from 'compression';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { ADMIN_PATH } from '../extension-api';
import { PACKAGE_ROOT } from './package-root';

export const ASSETS_PATH = `${ADMIN_PATH}/assets`;
/** The folder that the build writes to. */
export const PUBLIC_FOLDER = join(PACKAGE_ROOT, 'dist', 'public');
/** Name -> file, written beside the bundles. */
export const ASSET_LIST = 'assets.json';

const listSchema = z.record(z.string(), z.string());

let known: Readonly<Record<string, string>> | undefined;

function assets(): Readonly<Record<string, string>> {
  if (known !== undefined) return known;
  try {
    known = listSchema.parse(JSON.parse(readFileSync(join(PUBLIC_FOLDER, ASSET_LIST), 'utf8')));
    return known;
  } catch (cause) {
    throw new Error('The browser modules are not built: run "make build".', { cause });
  }
}

/** The address of a browser module such as `extension/playground`. */
export const assetUrl = (name: string): string => urlOf(name, 'browser module');

/** The address of a stylesheet such as `host/admin`. */
export const styleUrl = (name: string): string => urlOf(`${name}.css`, 'stylesheet');

function urlOf(name: string, kind: string): string {
  const file = assets()[name];
  if (file === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return `${ASSETS_PATH}/${file}`;
}

/** Serves the files; their names change with their content, so they may be kept for ever. */
export function serveAssets(): RequestHandler[] {
  return [
    compression(),
    express.static(PUBLIC_FOLDER, { immutable: true, maxAge: '1y', index: false, redirect: false }),
  ];
}
