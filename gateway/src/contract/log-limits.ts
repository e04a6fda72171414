/** Limits of the log API. Separate from the schemas, so that a client does not have to load those. */

export const TAIL_LINES_MAX = 100_000;
export const SINCE_SECONDS_MAX = 366 * 24 * 3600;
export const HEARTBEAT_SECONDS_MAX = 300;
/** Values of `after` per request. */
export const AFTER_MAX = 1_000;
/** More `after` values, separated by spaces, when they do not fit into the URL. */
export const AFTER_HEADER = 'x-logs-after';
