// The example query shown with a new application password and in the server's welcome message.
import { DAY_MS } from '../../host-shim/extension-api';

interface TopPages {
  /** A site, or `all`. */
  readonly trackingId: string;
  readonly timezone: string;
  readonly days: number;
  readonly now: Date;
  readonly counts: boolean;
}

export function topPagesQuery({ trackingId, timezone, days, now, counts }: TopPages): object {
  const midnightOf = (instant: Date) =>
    `${new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(instant)}T00:00:00`;
  return {
    qal: {
      tracking_id: trackingId,
      materials: [{ name: 'allpv' }],
      time: {
        start: midnightOf(new Date(now.getTime() - days * DAY_MS)),
        end: midnightOf(now),
        tz: timezone,
      },
      make: {
        pages: {
          from: ['allpv'],
          keep: ['allpv.url'],
          ...(counts && {
            calc: { views: 'COUNT(allpv.pv_id)' },
            sort: { by: 'views', order: 'desc', top: 10 },
          }),
        },
      },
      result: { use: 'pages', limit: 10 },
    },
  };
}
