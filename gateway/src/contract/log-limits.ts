/** The limits of a log request, apart from the schemas, so that a client need not load those. */

export const TAIL_LINES_MAX = 100_000;
export const SINCE_SECONDS_MAX = 366 * 24 * 3600;
export const HEARTBEAT_SECONDS_MAX = 300;
/** The most `after` positions in one request. */
export const AFTER_MAX = 1_000;
/** The header for more `after` values, separated by spaces, if they do not fit in the URL. */
export const AFTER_HEADER = 'x-logs-after';
