// Pages for visitors with a link: without a session, and the same for all links.
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { PageRegistry } from '../extensions/page-registry';
import type { SendPage } from './send-page';

export function createLinkApp(pages: () => PageRegistry, sendPage: SendPage): Router {
  const router = Router();
  router.get('/:slug', (request: Request<{ slug: string }>, response: Response, next: NextFunction) => {
    const page = pages().find(request.params.slug);
    const answer = page?.forLinks?.();
    if (page === undefined || answer === undefined) {
      next();
      return;
    }
    sendPage({ ...answer, title: answer.title ?? page.title }, { request, response, isLink: true }).catch(
      next,
    );
  });
  return router;
}
