// Metrics from other products that QAL calculates from page views.
import { byWord, fold } from './by-word';

const VIEWS = 'COUNT(allpv.pv_id)';
const VISITS = 'COUNTUNIQUE(allpv.session_id)';

/** The calc over `allpv` for a metric: `sessions` -> `COUNTUNIQUE(allpv.session_id)`. */
export const metricOfViews: (name: string) => string | undefined = byWord({
  [VIEWS]: 'views pageviews screenpageviews hits nbpageviews nbhits',
  [VISITS]: 'visits sessions nbvisits',
  'COUNTUNIQUE(allpv.reader_id)':
    'visitors users totalusers activeusers uniques uniquevisitors uniqueusers nbuniqvisitors',
  [`${VIEWS} / ${VISITS}`]:
    'pagespervisit viewspervisit pagespersession viewspersession screenpageviewspersession nbactionspervisit',
  [`100 * SUM(allpv.is_last) / ${VIEWS}`]: 'exitrate',
  'AVERAGE(allpv.browse_sec)': 'timeonpage avgtimeonpage averagetimeonpage',
});

/** Unlike the other metrics, the bounce rate needs a filter for first views. */
export const isBounceRate = (name: string): boolean => fold(name) === 'bouncerate';
