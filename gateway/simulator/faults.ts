/**
 * Faults on cue: the one table of what can go wrong at a provider. A fault is called by the model
 * name `sim-fault-<name>`, the header `x-sim-fault` or the words `[[fault <name>]]` in the prompt.
 */
import {
  delayFirstByte,
  neverAnswer,
  playSlowly,
  promiseTooLittle,
  promiseTooMuch,
  resetConnection,
  sendBomb,
  sendBrokenJson,
  sendElsewhere,
  sendHugeBody,
  sendHugeHeaders,
  sendHugeLine,
  sendNothing,
  sendPage,
} from './faults/break-body.ts';
import {
  absurdUsage,
  cutFrame,
  cutStream,
  hangMidStream,
  pauseMidStream,
  playEndlessly,
  playOddly,
  rebill,
  reframe,
  withDoneFirst,
  withGarbage,
  withoutDone,
  withoutEnd,
  withUsageTwice,
  zeroUsage,
} from './faults/break-stream.ts';
import {
  leakSecrets,
  refuseAs200,
  refuseAsProxy,
  refuseMidStream,
  refuseOnce,
  refuseWith,
} from './faults/refuse.ts';
import type { Play } from './play.ts';
import { Refusal } from './refusal.ts';

const faults = {
  'error-400': refuseWith(400),
  'error-401': refuseWith(401),
  'error-403': refuseWith(403),
  'error-404': refuseWith(404),
  'error-408': refuseWith(408),
  'error-409': refuseWith(409),
  'error-413': refuseWith(413),
  'error-422': refuseWith(422),
  'error-429': refuseWith(429),
  'error-500': refuseWith(500),
  'error-502': refuseAsProxy,
  'error-503': refuseWith(503),
  'error-529': refuseWith(529),
  'error-once': refuseOnce,
  'error-body-200': refuseAs200,
  'error-in-stream': refuseMidStream,
  'secret-leak': leakSecrets,

  'slow-first-byte': delayFirstByte,
  'slow-stream': playSlowly,
  hang: neverAnswer,
  'hang-mid-stream': hangMidStream,
  'pause-mid-stream': pauseMidStream,
  endless: playEndlessly,

  reset: resetConnection,
  'cut-stream': cutStream,
  'cut-frame': cutFrame,
  'cut-body': promiseTooMuch,
  'lying-content-length': promiseTooLittle,

  'end-without-done': reframe(withoutEnd),
  'finish-without-done': reframe(withoutDone),
  'done-first': reframe(withDoneFirst),
  'invalid-sse': reframe(withGarbage),
  crlf: playOddly,

  'missing-usage': rebill(() => null),
  'zero-usage': rebill(() => zeroUsage),
  'absurd-usage': rebill(() => absurdUsage),
  'double-usage': reframe(withUsageTwice),

  html: sendPage,
  'not-json': sendBrokenJson,
  'empty-body': sendNothing,
  redirect: sendElsewhere,
  'huge-line': sendHugeLine,
  'huge-body': sendHugeBody,
  'huge-headers': sendHugeHeaders,
  'gzip-bomb': sendBomb,
} as const satisfies Record<string, Play>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

const MODEL_PREFIX = 'sim-fault-';

export const faultModels: readonly string[] = faultNames.map((name) => MODEL_PREFIX + name);

/** The fault that a request asks for; null asks for none. A name that is not in the table is refused. */
export function findFault(model: string, cue: string | null): Play | null {
  const name = cue ?? (model.startsWith(MODEL_PREFIX) ? model.slice(MODEL_PREFIX.length) : null);
  if (name === null) return null;
  if (Object.hasOwn(faults, name)) return faults[name as FaultName];
  throw new Refusal(404, `The simulator has no fault named '${name}'.`, { code: 'model_not_found' });
}
