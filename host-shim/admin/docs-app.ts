// Serves the documentation that docs/render-docs.ts generated during the build. No login is required.
import { join } from 'node:path';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { DOCS_PATH, PACKAGE_ROOT } from '../extension-api';
import { builtList } from './assets';
import type { SendPage } from './send-page';

export const DOCS_FOLDER = join(PACKAGE_ROOT, 'dist', 'docs');
export const DOCS_LIST = 'pages.json';
/** The folder for files that pages link to, and its path below DOCS_PATH. */
export const DOCS_FILES = 'files';

const pageSchema = z.object({ title: z.string(), html: z.string() });
export type DocPage = Readonly<z.infer<typeof pageSchema>>;

const docPages = builtList(join(DOCS_FOLDER, DOCS_LIST), pageSchema, 'The documentation is');

/** Source files are shown as text. */
const asText = (response: Response, file: string): void => {
  if (!/\.(webp|json)$/.test(file)) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
};

export function createDocsApp(sendPage: SendPage): Router {
  const files = express.static(join(DOCS_FOLDER, DOCS_FILES), {
    index: false,
    redirect: false,
    setHeaders: asText,
  });
  return Router()
    .use(`/${DOCS_FILES}`, compression(), files)
    .get('/{*path}', compression(), (request: Request, response: Response, next: NextFunction) => {
      const address = `${DOCS_PATH}${request.path}`.replace(/\/*$/, '/');
      const pages = docPages();
      const page = Object.hasOwn(pages, address) ? pages[address] : undefined;
      if (page === undefined) return next();
      const { title, html } = page;
      const view = 'host-shim/admin/views/doc';
      return sendPage(
        { kind: 'page', title, view, data: { html }, styles: ['host/docs'] },
        { request, response, isLink: true },
      );
    });
}
