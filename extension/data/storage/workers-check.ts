// The health check of the workers of a Citus cluster.
import type { Finding, HealthCheck } from '../../../host-shim/extension-api';
import type { Workers } from './workers';

const MAX_SHOWN = 10;

export const workersCheck = (workers: Workers): HealthCheck => ({
  title: 'Workers',
  isVital: true,
  look: async () => findingOf(workers),
});

/** Fails only if no worker responds: otherwise, the sites on the other workers can still be read. */
function findingOf({ places, away }: Workers): Finding {
  if (away.length === 0) return { state: 'fine', brief: 'all respond' };
  const about = away.map(({ place, sites }) => {
    const more = sites.length > MAX_SHOWN ? ` and ${sites.length - MAX_SHOWN} more` : '';
    return `${place} does not respond. Unavailable sites: ${sites.slice(0, MAX_SHOWN).join(', ') || 'none'}${more}.`;
  });
  return {
    state: away.length === places.length ? 'failing' : 'warning',
    brief: `${away.length} of ${places.length} not responding`,
    about: about.join(' '),
    remedy: { text: 'Start PostgreSQL there, or promote its replica. Other sites are not affected.' },
  };
}
