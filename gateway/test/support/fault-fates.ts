/** What becomes of a call whose provider plays a fault: the declared end of each. */
import type { FaultName } from '../../simulator/faults.ts';

/** `good` is an answer; `begun` is an error after content went out; otherwise the status and code. */
export type Ending = 'good' | `begun ${string}` | `${number} ${string}`;

export interface Fate {
  readonly stream: Ending;
  readonly whole: Ending;
  readonly attempts?: number;
  /** It is the provider that breaks the connection off, so it never sees us leave. */
  readonly cut?: true;
  /** More words for the prompt. */
  readonly cue?: string;
}

const both = (ending: Ending, more: Omit<Fate, 'stream' | 'whole'> = {}): Fate => ({
  stream: ending,
  whole: ending,
  ...more,
});
const broken: Ending = '502 upstream_error';
const begun: Ending = 'begun upstream_error';

export const fates: Record<FaultName, Fate> = {
  'error-400': both('400 invalid_parameter'),
  'error-401': both(broken),
  'error-403': both(broken),
  'error-404': both(broken),
  'error-408': both('504 upstream_timeout', { attempts: 3 }),
  'error-409': both(broken),
  'error-413': both('413 request_too_large'),
  'error-422': both('400 invalid_parameter'),
  'error-429': both('429 rate_limit_exceeded', { attempts: 3 }),
  'error-500': both(broken, { attempts: 3 }),
  'error-502': both(broken, { attempts: 3 }),
  'error-503': both('503 upstream_unavailable', { attempts: 3 }),
  'error-529': both('503 upstream_unavailable', { attempts: 3 }),
  'error-once': both('good', { attempts: 2 }),
  'error-body-200': both(broken),
  'error-in-stream': { stream: begun, whole: 'good' },
  'secret-leak': both('400 invalid_parameter'),
  'slow-first-byte': both('good', { cue: '[[delay 50]]' }),
  'slow-stream': both('good', { cue: '[[delay 10]]' }),
  'pause-mid-stream': both('good', { cue: '[[delay 10]]' }),
  hang: both('504 upstream_timeout'),
  'hang-mid-stream': { stream: 'begun upstream_timeout', whole: '504 upstream_timeout' },
  endless: { stream: 'begun upstream_timeout', whole: broken, cue: '[[pace 2]]' },
  reset: both(broken, { attempts: 3, cut: true }),
  'cut-stream': { stream: begun, whole: broken, cut: true },
  'cut-frame': { stream: begun, whole: broken, cut: true },
  // Its frames come to a valid end, which is what counts; a body is as long as it claims to be.
  'cut-body': { stream: 'good', whole: broken, cut: true },
  'lying-content-length': { stream: begun, whole: broken },
  'end-without-done': { stream: begun, whole: 'good' },
  'finish-without-done': both('good'),
  'done-first': { stream: broken, whole: 'good' },
  'invalid-sse': { stream: begun, whole: 'good' },
  crlf: both('good'),
  'missing-usage': both('good'),
  'zero-usage': both('good'),
  'absurd-usage': both('good'),
  'double-usage': both('good'),
  html: both(broken),
  'not-json': both(broken),
  'empty-body': both(broken),
  redirect: both(broken),
  'huge-line': { stream: begun, whole: broken },
  'huge-body': both(broken, { cue: '[[bytes 2000000]]' }),
  'huge-headers': both(broken),
  'gzip-bomb': both(broken),
};

/** Nothing of these may reach a caller, and none of the secrets a log. */
export const SECRETS = /simulator-key|org-9tZq4LwXk2VbN7mD|simulated-org-7h2k|sk-p\*+abcd|__cf_bm/;
export const IDENTITY = /openai|cloudflare|gpt-gone|sim-fault-|Just a moment/i;
export const OUR_HEADERS = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'request-id'],
  ...['retry-after', 'retry-after-ms', 'transfer-encoding', 'x-accel-buffering', 'x-request-id'],
  ...['x-should-retry', 'x-tollgate-cost-units', 'x-tollgate-model', 'x-tollgate-overhead-ms'],
  'x-tollgate-simulated',
]);
