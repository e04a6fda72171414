/**
 * Measures the log viewer in Chromium: `npm run bench:viewer`. A server sends 5,000 lines/s to the real page for a
 * minute; `--minutes N` and `--rate N` change that. Prints the main thread's time per frame, as a clock on the wall and as
 * processor time, which other work on the machine does not change; the time between frames; how far the page is behind;
 * and the heap after garbage collection.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { buildConsole } from '../scripts/build-console.ts';
import { startViewerServer } from './viewer-server.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    rate: { type: 'string', default: '5000' },
  },
});
const DURATION_MS = Number(values.minutes) * 60_000;
const RATE = Number(values.rate);
const WARM_UP_MS = 5_000;
const SAMPLES = 6;
const GOAL_MS = 16;
/** Longer than any frame should be: 3 s. */
const TENTHS = 30_000;

/**
 * The work of a frame lasts from its first callback until the browser takes the next task, which a message posted in
 * that callback is: scripts, style, layout and paint are between them. Times are counted by tenths of a millisecond, so
 * that an hour takes no more memory than a minute.
 */
const WATCH_FRAMES = `
  window.frames = { work: new Uint32Array(${TENTHS}), between: new Uint32Array(${TENTHS}) };
  const count = (times, ms) => times[Math.min(${TENTHS - 1}, Math.floor(ms * 10))]++;
  const channel = new MessageChannel();
  let [started, before] = [0, 0];
  channel.port1.onmessage = () => count(frames.work, performance.now() - started);
  const frame = () => {
    started = performance.now();
    if (before > 0) count(frames.between, started - before);
    before = started;
    channel.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

/** `counts` by tenths of a millisecond. */
function figures(name: string, counts: readonly number[]): void {
  const all = sum(counts);
  const at = (part: number): string => {
    let [tenths, seen] = [0, counts[0] ?? 0];
    while (seen <= (all - 1) * part) seen += counts[++tenths] ?? 0;
    return (tenths / 10).toFixed(1);
  };
  print(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
}

/** The number at the end of the newest line that is drawn. */
async function newestLine(page: Page): Promise<number> {
  const text = (await page.evaluate(
    `[...document.querySelectorAll('[data-place]')].at(-1).textContent`,
  )) as string;
  return Number(/(\d+)$/.exec(text)?.[1]);
}

buildConsole();
const server = await startViewerServer(RATE);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  const heapMib = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
  };
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** Seconds that the main thread has worked. */
  const worked = async (): Promise<Map<string, number>> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  };
  await page.goto(`${server.url}/console/spaces/bench/logs/bench`);
  await page.locator('[data-lines="1000"]').waitFor();
  await pause(WARM_UP_MS);
  const heaps = [await heapMib()];
  await page.evaluate(WATCH_FRAMES);
  const before = await worked();
  const loads = [loadavg()[0] ?? 0];
  const behind: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    await pause(DURATION_MS / SAMPLES);
    const { sent } = server;
    behind.push(Math.max(0, sent - (await newestLine(page))));
    heaps.push(await heapMib());
    loads.push(loadavg()[0] ?? 0);
  }
  const { work, between } = (await page.evaluate(
    '({ work: [...frames.work], between: [...frames.between] })',
  )) as { work: number[]; between: number[] };
  const frames = sum(between);
  const after = await worked();
  const perFrame = (name: string): string =>
    ((1000 * ((after.get(name) ?? 0) - (before.get(name) ?? 0))) / frames).toFixed(2);
  print(`${server.sent} lines at ${RATE}/s, ${frames} frames in ${values.minutes} min`);
  figures(`main thread per frame (goal: p95 under ${GOAL_MS} ms)`, work);
  print(
    `processor time of the main thread per frame: ${perFrame('TaskDuration')} ms (scripts ${perFrame('ScriptDuration')}, style ${perFrame('RecalcStyleDuration')}, layout ${perFrame('LayoutDuration')})`,
  );
  figures('between two frames', between);
  print(`lines sent and not yet shown: ${behind.join(', ')}`);
  print(`heap: ${heaps.map((heap) => heap.toFixed(1)).join(', ')} MiB`);
  print(`load of the machine (1 min average): ${loads.map((load) => load.toFixed(1)).join(', ')}`);
} finally {
  await browser.close();
  await server.stop();
}
