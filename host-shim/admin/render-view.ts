import { Eta } from 'eta';
import { CODE_ROOT } from '../extension-api';

const eta = new Eta({ views: CODE_ROOT, cache: true, autoTrim: [false, 'nl'] });

/** Values that a template prints are escaped for HTML. */
export const renderView = (view: string, data: object): string => eta.render(view, data);
