/** How the figures were taken, in words, and on what machine. */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { DIMENSIONS, INPUTS } from './embeddings-workload.ts';
import { median } from './figures.ts';
import { IMAGE_BYTES, IMAGES_AT_ONCE } from './images.ts';
import { FIRST_FRAME_RATE, FIXED_RATE, type Plan } from './plan.ts';

export function methodText(plan: Plan): string[] {
  return plan.long ? longMethod(plan) : usualMethod(plan);
}

function usualMethod(plan: Plan): string[] {
  const { count, frameMs } = plan.slowStreams;
  const { wholeCalls, streamCalls } = plan.warmUp;
  return [
    'Every server runs in a process of its own on the loopback of one machine: the stand-in provider, the ' +
      'load, and each thing measured. `bare-node` is the least a gateway in Node can do: `node:http` in, ' +
      'undici out, the body parsed for its model, the answer relayed; no keys, no metering. ' +
      '`portkey` is the open gateway of that name, where it is ' +
      'installed (`--peers`): no keys, no metering. The gateway is the real command with ' +
      'authentication and durable metering: a call is committed (PostgreSQL with fsync on, or the embedded ' +
      'engine) before its answer is complete.',
    `Each target is warmed up with ${wholeCalls} JSON calls and ${streamCalls} streams, and again for ` +
      `${plan.warmUp.scenarioMs / 1000} s with the load of each table. Then the targets take ` +
      `turns in ${plan.rounds} rounds of ${plan.windowMs / 1000} s each; a figure is the median of its rounds. Each round ` +
      `of JSON calls or streams begins with ${plan.warmUp.roundMs / 1000} s of the same load that are not measured, because ` +
      'the first calls after a pause cost more. ' +
      'CPU is user and system time of all threads of the server, divided by ' +
      'the complete replies. PostgreSQL’s own time is shown beside it, not in it. All processes share the ' +
      'cores, so calls per second are those of the whole layout, not what the server alone could do.',
    `A call asks about 550 bytes${plan.shortHeads ? ', with 5 headers' : ', with the 18 headers of the OpenAI SDK, and is answered with those of OpenAI'}. Its answer is 700 bytes of JSON, or 20 frames of content, a finish, a usage ` +
      'and an end marker, each written by itself. Every reply is checked to be whole, and at the end the units ' +
      'that are gone must equal the price of the replies that came.',
    `Added latency is the difference to \`bare-node\`. In a closed loop it grows with the cost of a call, ` +
      `because the connections are always busy; at a fixed ${FIXED_RATE} calls/s, well below saturation, it is ` +
      'what a caller waits longer. The target for added p50 refers to the fixed rate. A commit takes at least one ' +
      '`fdatasync` of the disk (shown above), and a call that ends during a commit waits for the next one.',
    'In a translated stream the gateway is asked in the chat format and its provider answers in the messages ' +
      'protocol; `bare-node` relays that answer as it is. A first frame tells when it was sent, by the ' +
      'clock that all processes of a machine share, and the load takes the time when it arrives, at a fixed ' +
      `${FIRST_FRAME_RATE} streams/s.`,
    `Embeddings are ${INPUTS} vectors of ${DIMENSIONS} numbers in one answer: as digits, or a quarter of that in ` +
      `base64. The windows are ${plan.largeWindowMs / 1000} s long, and the load counts the bytes instead of ` +
      'keeping them.',
    `${IMAGES_AT_ONCE} images of ${IMAGE_BYTES / 1_000_000} MB are requested at once, after a few to warm up. The limit of ` +
      'bytes in flight makes some of them wait for others. Memory is the highest resident size, less the size just ' +
      'before. The delay of the event loop is what the gateway reports of itself for that time. The stand-in provider ' +
      'and the load share its cores.',
    'Batch files are checked in the process of the benchmark itself, in pieces of 64 KiB; the figure is bytes ' +
      'divided by its CPU time.',
    `Memory is the resident size at rest, after the load, and the highest seen while ${count} streams are open ` +
      `at once (20 frames, one every ${frameMs} ms); all of them must complete. The last figure is taken 60 s after the streams and the images.`,
  ];
}

function longMethod(plan: Plan): string[] {
  return [
    'A body is the conversation of a coding agent, the same on every run: a system prompt, seven tools, and for 300 KB ' +
      '60 turns of a tool call and its result. Results have 0.6 to 3.6 KB, each twelfth 24 KB, and five times as much in ' +
      'a body of 10 MB; one byte in twenty is a backslash, and one character in a thousand is not ASCII.',
    `The targets take turns in ${plan.rounds} rounds of ${plan.windowMs / 1000} s after a warm-up. CPU is user and ` +
      'system time of all threads of the server, divided by the complete replies. The delay of the event loop is what ' +
      'the gateway reports of itself for the time of a round, less the 10 ms of the timer that measures it. The load, ' +
      'the stand-in provider and PostgreSQL share the two cores, so a part of the delay is waiting for a core.',
  ];
}

export function profileText(): string {
  return (
    'Sampled by V8 during the rounds, after the warm-up. Each function belongs to the part of its file, or of its caller ' +
    'if it has none. The profile itself takes time, so that the sum is more than the processor time in the tables of a ' +
    'run without it.'
  );
}

/** `folder`: on the disk that the run uses. */
export function machineText(
  folder: string,
  facts: { postgres: string | null; portkey?: string | null },
): string {
  const { postgres, portkey = null } = facts;
  const processors = cpus();
  const model = processors[0]?.model ?? '';
  const known = model === '' || model === 'unknown' ? process.arch : model;
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  const parts = [
    `${processors.length} cores (${known})`,
    `${gib} GiB`,
    `Node ${process.versions.node}`,
    postgres === null ? 'no PostgreSQL' : `PostgreSQL ${postgres.split(' ')[0]}`,
    ...(portkey === null ? [] : [`Portkey ${portkey}`]),
    `fdatasync of 8 KiB ${syncMs(folder).toFixed(2)} ms`,
    `load average ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]} at the start`,
  ];
  return parts.join(', ');
}

const PAGE = Buffer.alloc(8 * 1024, 1);
const WRITES_MAX = 200;
const TIME_MS_MAX = 2_000;

/** How long the disk takes to make a page durable: no commit can be quicker than that. */
function syncMs(folder: string): number {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  const times: number[] = [];
  const startMs = performance.now();
  try {
    while (times.length < WRITES_MAX && performance.now() - startMs < TIME_MS_MAX) {
      const beforeMs = performance.now();
      writeSync(file, PAGE, 0, PAGE.length, 0);
      fdatasyncSync(file);
      times.push(performance.now() - beforeMs);
    }
  } finally {
    closeSync(file);
  }
  return median(times);
}
