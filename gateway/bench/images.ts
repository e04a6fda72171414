/**
 * Many large images at once through the gateway: what it holds of them, and how long everybody else waits
 * for its event loop meanwhile.
 */
import { Agent, request } from 'node:http';
import { printUnits } from '../src/kernel/units.ts';
import { eventLoopDelay } from './event-loop-delay.ts';
import { rssMib } from './process-figures.ts';
import type { Target } from './target.ts';
import { callCost } from './workload.ts';

export const IMAGES_PATH = '/v1/images/generations';
export const IMAGE_MODEL = 'bench-image';
/** What any other call costs, so that the charges are checked alike. */
export const IMAGE_PRICE = printUnits(callCost);
export const IMAGE_BYTES = 10_000_000;
export const IMAGES_AT_ONCE = 50;
/** Compiled and connected before it counts. */
const WARM_CALLS = 8;
const LOOK_MS = 10;
const SETTLE_MS = 1_000;

export interface ImagesSample {
  /** Of the answers, all together. */
  readonly answerMib: number;
  readonly idleMib: number;
  readonly peakMib: number;
  readonly lagP99Ms: number;
  readonly elapsedMs: number;
  readonly calls: number;
  readonly faults: readonly string[];
}

export function imageAnswer(): Buffer {
  const image = Buffer.alloc(IMAGE_BYTES, 'the same picture over and over ').toString('base64');
  const usage = { input_tokens: 12, output_tokens: 4_160, total_tokens: 4_172 };
  return Buffer.from(JSON.stringify({ created: 1_760_000_000, data: [{ b64_json: image }], usage }));
}

export async function makeImagesAtOnce(target: Target): Promise<ImagesSample> {
  const agent = new Agent({ keepAlive: true, maxSockets: IMAGES_AT_ONCE });
  try {
    const idleMib = rssMib(target.pids());
    const warm = await Promise.all(Array.from({ length: WARM_CALLS }, () => makeImage(target, agent)));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    // Each look at the metrics begins the figure of the event loop anew.
    await eventLoopDelay(target);
    let peakMib = idleMib;
    const looking = setInterval(() => {
      peakMib = Math.max(peakMib, rssMib(target.pids()));
    }, LOOK_MS);
    const startedMs = performance.now();
    const made = await Promise.all(
      Array.from({ length: IMAGES_AT_ONCE }, () => makeImage(target, agent)),
    ).finally(() => clearInterval(looking));
    const elapsedMs = performance.now() - startedMs;
    const results = [...warm, ...made];
    return {
      answerMib: made.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2,
      idleMib,
      peakMib,
      lagP99Ms: (await eventLoopDelay(target)).p99Ms,
      elapsedMs,
      calls: results.filter(({ fault }) => fault === null).length,
      faults: results.flatMap(({ fault }) => (fault === null ? [] : [fault])),
    };
  } finally {
    agent.destroy();
  }
}

interface Made {
  readonly bytes: number;
  readonly fault: string | null;
}

/** Counts what comes, and keeps only the end of it. */
function makeImage({ port, key }: Target, agent: Agent): Promise<Made> {
  const body = JSON.stringify({ model: IMAGE_MODEL, prompt: 'a picture' });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: IMAGES_PATH, method: 'POST', headers, agent });
    asked.on('error', reject);
    asked.on('response', (response) => {
      let bytes = 0;
      let end = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 300))).slice(-300);
      });
      response.on('error', reject);
      response.on('end', () => {
        const whole =
          response.statusCode === 200 && bytes > IMAGE_BYTES && /"amount":"[^"]+".*\}\}$/.test(end);
        resolve({ bytes, fault: whole ? null : `image: status ${response.statusCode}: ${end}` });
      });
    });
    asked.end(body);
  });
}
