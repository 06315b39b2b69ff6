// Metrics of other products that are a calc over page views in QAL.
import { byWord, fold } from './by-word';

const VIEWS = 'COUNT(allpv.pv_id)';
const VISITS = 'COUNTUNIQUE(allpv.session_id)';

const METRICS = byWord({
  [VIEWS]: 'views pageviews screenpageviews hits nbpageviews nbhits',
  [VISITS]: 'visits sessions nbvisits',
  'COUNTUNIQUE(allpv.reader_id)':
    'visitors users totalusers activeusers uniques uniquevisitors uniqueusers nbuniqvisitors',
  [`${VIEWS} / ${VISITS}`]:
    'pagespervisit viewspervisit pagespersession viewspersession screenpageviewspersession nbactionspervisit',
  [`100 * SUM(allpv.is_last) / ${VIEWS}`]: 'exitrate',
  'AVERAGE(allpv.browse_sec)': 'timeonpage avgtimeonpage averagetimeonpage',
});

/** The calc over `allpv` for a metric: `sessions` -> `COUNTUNIQUE(allpv.session_id)`. */
export const metricOfViews = (name: string): string | undefined => METRICS(name);

/** Whether a metric is the bounce rate, which is a calc over first views only. */
export const isBounceRate = (name: string): boolean => fold(name) === 'bouncerate';
