import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type FaultName, faultNames } from './faults.ts';
import { bodySymptoms } from './testing/break-body-symptoms.ts';
import { streamSymptoms } from './testing/break-stream-symptoms.ts';
import { ask, userPrompt } from './testing/call-simulator.ts';
import { play, type Symptom, simulator, TEXT, wholeContent } from './testing/fault-stage.ts';
import { refuseSymptoms } from './testing/refuse-symptoms.ts';

/** Complete by its type: a fault without a symptom does not compile. */
const symptoms: Record<FaultName, Symptom> = { ...refuseSymptoms, ...streamSymptoms, ...bodySymptoms };

for (const name of faultNames) test(`${name} ${symptoms[name][0]}`, symptoms[name][1]);

test('a fault is called by model, by header and by the prompt', async () => {
  const byHeader = await ask(simulator.url, userPrompt('hi'), { headers: { 'x-sim-fault': 'error-503' } });
  const byPrompt = await ask(simulator.url, userPrompt('[[fault error-503]] hi'));
  expect([byHeader.status, byPrompt.status]).toEqual([503, 503]);
});

test('faults of streams leave whole answers alone', async () => {
  for (const name of [
    'end-without-done',
    'finish-without-done',
    'done-first',
    'invalid-sse',
    'double-usage',
    'error-in-stream',
  ] as const) {
    expect(wholeContent((await play(name, false)).text)).toBe(TEXT);
  }
});

test('a huge answer waits for its reader', async () => {
  const caller = new AbortController();
  const answer = await fetch(`${simulator.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(userPrompt('hi', { model: 'sim-fault-huge-body' })),
    signal: caller.signal,
  });
  const call = simulator.calls.at(-1);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  expect(call?.finished).toBe(false);
  caller.abort();
  await simulator.waitFor((seen) => seen === call && seen.aborted);
});

test('the readme names every fault', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  for (const name of faultNames) expect(readme).toContain(`| \`${name}\` |`);
});
