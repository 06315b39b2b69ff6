// Which copies are brought up to date in a round, in the time of one look at each site.
import { sitesToRefresh } from '../../../extension/query/columns/refresh-site';

test('of ten thousand sites it finds the few that changed, and looks at each a few times at most', () => {
  let looks = 0;
  const counted = <T extends { readonly siteId: number }>(site: T): T => {
    const { siteId } = site;
    return Object.defineProperty({ ...site }, 'siteId', {
      get() {
        looks += 1;
        return siteId;
      },
    });
  };
  const sites = Array.from({ length: 10_000 }, (_, index) => ({
    siteId: index + 1,
    trackingId: `site${index + 1}`,
    version: 'first',
  }));
  const copies = new Map(sites.slice(0, 9_999).map((site) => [site.siteId, site]));
  const present = sites
    .filter(({ siteId }) => siteId !== 7)
    .map((site) => counted(site.siteId === 5 ? { ...site, version: 'second' } : site));
  const { gone, behind } = sitesToRefresh(present, copies);
  expect(looks).toBeLessThanOrEqual(3 * sites.length);
  expect(gone).toEqual([7]);
  expect(behind.map(({ trackingId }) => trackingId)).toEqual(['site5', 'site10000']);
});
