/**
 * `npm run soak -- --minutes 30`: mixed load on loopback, with figures of the gateway's memory, handles and connections at
 * intervals. Exits with 1 if one of them grows after the warm-up, if a request failed, or if the books disagree.
 */
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../../src/kernel/durations.ts';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';
import {
  type FigureName,
  growthByName,
  leastOf,
  printGrowth,
  printHead,
  printRow,
  type SoakFigures,
  SoakMeter,
} from './soak-figures.ts';
import { SoakLoad } from './soak-load.ts';
import { type SoakStage, startSoakStage } from './soak-stage.ts';

const INTERVALS = 24;
/** In each interval. */
const SAMPLES = 4;
const FAILURES_SHOWN = 5;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 24 * 60)) {
  process.stderr.write(`--minutes is ${values.minutes}; it must be a number from 1 to 1440.\n`);
  process.exit(2);
}
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130));

const stage = await startSoakStage();
try {
  process.exitCode = (await soak(stage)) ? 0 : 1;
} finally {
  await stage.remove();
}

async function soak(running: SoakStage): Promise<boolean> {
  const meter = new SoakMeter(running);
  await meter.open();
  const load = new SoakLoad(running);
  load.start();
  const intervals = await measure(meter);
  await load.stop();
  await meter.close();
  const growths = Object.entries(growthByName(intervals));
  for (const [name, growth] of growths) say(printGrowth(name as FigureName, growth));
  say(`rounds: ${JSON.stringify(load.rounds)}`);
  say(`failed requests: ${load.failures.length}`);
  for (const failure of load.failures.slice(0, FAILURES_SHOWN)) say(`  ${failure}`);
  const exitCode = await running.stopGateway();
  say(`the gateway ended with ${exitCode}`);
  const ledger = await running.verifyLedger();
  say(`tollgate ledger verify ended with ${ledger.code}:\n${ledger.text.trim()}`);
  const steady = growths.every(([, { grows }]) => !grows);
  return steady && load.failures.length === 0 && exitCode === 0 && ledger.code === 0;
}

async function measure(meter: SoakMeter): Promise<SoakFigures[]> {
  say(printHead());
  const beganMs = clock.elapsedMs();
  const sampleMs = (minutes * MINUTE_MS) / INTERVALS / SAMPLES;
  const intervals: SoakFigures[] = [];
  for (let interval = 1; interval <= INTERVALS; interval++) {
    const samples: SoakFigures[] = [];
    while (samples.length < SAMPLES) {
      await pause(clock, sampleMs);
      samples.push(await meter.read());
    }
    const least = leastOf(samples);
    intervals.push(least);
    say(printRow(((clock.elapsedMs() - beganMs) / MINUTE_MS).toFixed(1), least));
  }
  return intervals;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
