// What the columnar copy adds to clicks and events besides fields of their page views.

/** The field that holds a row's visit. */
export const VISIT = 'session_id';
/** The number of page views of the row's visit. */
export const VISIT_VIEWS = 'visit_views';
/** No page view of the row's visit is further from the row than this number of quarter hours. */
export const VISIT_REACH = 'visit_reach';
