// The composition root: the only file in the host that imports the extensions.
import { analytics } from '../extension/index';
import type { Product } from './server/installation';

export const PRODUCT: Product = {
  name: 'QAL analytics',
  description: 'A read-only query service for website analytics.',
  extensions: [analytics],
};
