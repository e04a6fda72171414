/** The worker thread of token-counter.ts. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { CountReply, CountRequest } from './token-counter.ts';

parentPort?.on('message', ({ id, texts }: CountRequest) => {
  // Text that looks like a special token is counted as text.
  const tokens = texts.reduce((sum, text) => sum + countTokens(text, { disallowedSpecial: new Set() }), 0);
  parentPort?.postMessage({ id, tokens } satisfies CountReply);
});
