import { countOf, type HealthCheck, pageAddress } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { REPORTS } from './report-message';
import { reportsWithFault } from './stored-reports';

const MAX_SHOWN = 3;

export const reportsCheck = ({ host }: Analytics): HealthCheck => ({
  title: 'Reports',
  async look() {
    const failed = await reportsWithFault(host.database.write);
    if (failed.length === 0) return { state: 'fine', brief: 'no failed reports' };
    const shown = failed
      .slice(0, MAX_SHOWN)
      .map(
        ({ frequency, trackingId, recipient, login, fault }) =>
          `The ${frequency} report on ${trackingId} to ${recipient}, by ${login}: ${fault}`,
      );
    const more = failed.length - MAX_SHOWN;
    return {
      state: 'warning',
      brief: `${countOf(failed.length, 'report')} could not be sent`,
      about: [...shown, ...(more > 0 ? [`Other failed reports: ${more}.`] : [])].join(' '),
      remedy: {
        text: 'Sending is retried for half a day, and again for the next period. Once the cause is fixed, send a test; delete the report if it is no longer needed.',
        page: { address: pageAddress(REPORTS), title: 'Scheduled reports' },
      },
    };
  },
});
