// The tables whose rows belong to a page view.

export interface ViewRows {
  readonly table: 'click' | 'event';
  /** The dimension that only these rows refer to. */
  readonly dimension: 'selector' | 'event_name';
  readonly fallbacks?: ReadonlyMap<string, number>;
  /** Field with the seconds from the start of the view; the row's time is then computed from them. */
  readonly secondsField?: string;
  /** Fields that identify a row in addition to its view (or visit or visitor) and its time. */
  readonly identity: readonly string[];
  readonly identityWords: string;
}

const PLAIN_CLICK = 1;

/** The tables by material. */
export const VIEW_ROWS: Readonly<Record<string, ViewRows>> = {
  click_event: {
    table: 'click',
    dimension: 'selector',
    fallbacks: new Map([['action_id', PLAIN_CLICK]]),
    secondsField: 'event_sec',
    identity: ['event_sec', 'selector_id', 'action_id', 'page_x_pct', 'page_y_pct'],
    identityWords: 'page view, time, selector, action and position',
  },
  datalayer_event: {
    table: 'event',
    dimension: 'event_name',
    identity: ['event_name_id', 'params'],
    identityWords: 'page view, time, event_name and params',
  },
};
