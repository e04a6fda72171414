/** Whether TOLLGATE_PLAIN names insides of Node and V8 that there are. */

import { nodeInsides, readPlain } from '../kernel/node-insides.ts';
import { ConfigError } from '../yaml/config-error.ts';

export function checkPlain(text: string): void {
  const { unknown } = readPlain(text);
  if (unknown.length === 0) return;
  throw new ConfigError(
    `TOLLGATE_PLAIN names ${unknown.join(', ')}. It must be all, or some of ${nodeInsides.join(', ')}.`,
  );
}
