// A note in place of a list or chart whose query needs a feature that is switched off.

import type { DashboardInfo, PartAnswer } from '../../shared-types/dashboard-types';
import { element } from '../shared/elements';

type Failure = NonNullable<PartAnswer['error']>;

export const isOff = ({ code }: Pick<Failure, 'code'>): boolean => code === 'E_FEATURE_DISABLED';

/** Administrators get a link to the switch. */
export function offNote({ feature }: Failure, own: DashboardInfo['own']): HTMLElement {
  const name = feature === undefined ? 'a feature' : element('code', feature);
  const page = own?.features;
  if (page === undefined || page === null)
    return element(
      'p',
      ['This needs ', name, ', which is switched off on this server. An administrator can switch it on.'],
      'panel-empty',
    );
  const link = element('a', 'Switch it on under Features');
  link.href = page;
  return element('p', ['This needs ', name, ', which is switched off. ', link, '.'], 'panel-empty');
}
