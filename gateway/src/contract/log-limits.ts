/** What a request for logs may ask; apart from the shapes, so that a client need not load those. */

export const TAIL_LINES_MAX = 100_000;
export const SINCE_SECONDS_MAX = 366 * 24 * 3600;
export const HEARTBEAT_SECONDS_MAX = 300;
/** Lines to go on after, in one request. */
export const AFTER_MAX = 1_000;
/** More `after` values, separated by spaces, where they do not fit into an address. */
export const AFTER_HEADER = 'x-logs-after';
