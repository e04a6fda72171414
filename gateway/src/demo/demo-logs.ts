/**
 * Writes the logs of the demo project: three pods of a shop, redeployed at intervals, and three builds: one failed, one
 * succeeded, one is still running. The lines are invented, the files are real.
 */

import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildLogFile, findProject, finishBuild, insertBuild, listBuilds } from '../access/projects.store.ts';
import type { Database } from '../database/database.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import { newId, randomBase62, randomFraction } from '../kernel/ids.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { RecordWriter } from '../logs/files/write-records.ts';
import { DEMO_PROJECT } from './demo.ts';

const PODS = 3;
const LINE_MS = 400;
export const DEPLOY_MS = 4 * 60_000;
/** Time between the pods of one deployment. */
export const ROLL_MS = 8_000;
/** The files of a pod are removed some time after it, as a kubelet does. */
export const GONE_MS = 20_000;
const BUILD_LINE_MS = 1_500;
/** Lines that the pods wrote before the start. */
const PAST_MS = 12 * MINUTE_MS;
const PAST_LINE_MS = 9_000;

interface DemoPod {
  readonly folder: string;
  readonly writer: RecordWriter;
  count: number;
}

export class DemoLogs implements Running {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #lineClock: Clock;
  readonly #pods: DemoPod[] = [];
  /** The time of the lines that are written; null: now. */
  #pastAt: Instant | null = null;
  #stops: Array<() => void> = [];
  #release = 1;

  constructor(options: { root: string; clock: Clock }) {
    this.#root = join(options.root, 'pods');
    this.#clock = options.clock;
    const { clock } = options;
    this.#lineClock = {
      now: () => this.#pastAt ?? clock.now(),
      elapsedMs: () => clock.elapsedMs(),
      after: (delayMs, work) => clock.after(delayMs, work),
      every: (periodMs, work) => clock.every(periodMs, work),
    };
  }

  start(): void {
    this.#forgetOld();
    while (this.#pods.length < PODS) this.#pods.push(this.#makePod());
    this.#stops = [
      this.#clock.every(LINE_MS, () => this.#write()),
      this.#clock.every(DEPLOY_MS, () => {
        this.#release++;
        for (let n = 0; n < PODS; n++)
          this.#stops.push(this.#clock.after(n * ROLL_MS, () => this.#replace(n)));
      }),
    ];
    this.#writePast();
  }

  /** As if the pods had been deployed some minutes before the gateway was started. */
  #writePast(): void {
    const now = this.#clock.now();
    for (const [n, pod] of this.#pods.entries()) {
      for (let at = now - PAST_MS + n * ROLL_MS; at < now; at += PAST_LINE_MS) {
        this.#pastAt = at + n * LINE_MS;
        this.#writeTo(pod);
      }
    }
    this.#pastAt = null;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.all(this.#pods.map(({ writer }) => writer.flush()));
  }

  #write(): void {
    const pod = this.#pods[Math.floor(randomFraction() * this.#pods.length)];
    if (pod !== undefined) this.#writeTo(pod);
  }

  #writeTo(pod: DemoPod): void {
    const line = demoLine(pod.count++, this.#release);
    pod.writer.write(line, line.includes('"level":"error"') ? 'stderr' : 'stdout');
  }

  /** Starts the new pod, then ends the old one. */
  #replace(n: number): void {
    const old = this.#pods[n];
    this.#pods[n] = this.#makePod();
    if (old === undefined) return;
    old.writer.write('{"level":"info","msg":"SIGTERM received, draining"}');
    old.writer.write('{"level":"info","msg":"bye"}');
    const forget = (): void => rmSync(old.folder, { recursive: true, force: true });
    this.#stops.push(this.#clock.after(GONE_MS, forget));
  }

  #makePod(): DemoPod {
    const uid = crypto.randomUUID();
    const name = `shop-${this.#release}-${randomBase62(5).toLowerCase()}`;
    const folder = join(this.#root, `${DEMO_PROJECT}_${name}_${uid}`);
    return {
      folder,
      writer: new RecordWriter({ folder: join(folder, 'web'), restart: 0, clock: this.#lineClock }),
      count: 0,
    };
  }

  /** Removes the pods of an earlier start. */
  #forgetOld(): void {
    mkdirSync(this.#root, { recursive: true });
    for (const name of readdirSync(this.#root)) {
      if (name.startsWith(`${DEMO_PROJECT}_`))
        rmSync(join(this.#root, name), { recursive: true, force: true });
    }
  }
}

/** Creates three builds of the demo project, once per database. */
export async function ensureDemoBuilds(
  db: Database,
  clock: Clock,
  dataFolder: string,
): Promise<{ stop: () => void }> {
  const now = clock.now();
  if ((await findProject(db, DEMO_PROJECT)) === null) return { stop: () => undefined };
  mkdirSync(join(dataFolder, 'builds'), { recursive: true });
  const builds = await listBuilds(db, { projectId: DEMO_PROJECT, countMax: 10 });
  const lines = demoBuildLines();
  if (builds.length === 0) {
    const failed = { status: 'failed', startedAt: now - HOUR_MS, seconds: 31 } as const;
    await writeBuild(db, dataFolder, { ...failed, lines: demoFailedBuildLines() });
    const succeeded = { status: 'succeeded', startedAt: now - MINUTE_MS, seconds: 45 } as const;
    await writeBuild(db, dataFolder, { ...succeeded, lines });
  }
  let running = builds.find(({ status }) => status === 'running')?.id;
  if (running === undefined) {
    running = newId('bld', now);
    await insertBuild(db, { id: running, projectId: DEMO_PROJECT, startedAt: now });
  }
  const file = join(dataFolder, buildLogFile(running));
  let next = 0;
  const stop = clock.every(BUILD_LINE_MS, () => {
    const line = lines[next++ % (lines.length - 2)];
    if (next < BUILD_LINES_MAX) appendFileSync(file, `${line}\n`);
  });
  return { stop };
}

async function writeBuild(
  db: Database,
  dataFolder: string,
  build: { status: 'failed' | 'succeeded'; startedAt: Instant; seconds: number; lines: readonly string[] },
): Promise<void> {
  const { status, startedAt, seconds, lines } = build;
  const id = newId('bld', startedAt);
  await insertBuild(db, { id, projectId: DEMO_PROJECT, startedAt });
  writeFileSync(join(dataFolder, buildLogFile(id)), `${lines.join('\n')}\n`);
  await finishBuild(db, { id, status, finishedAt: startedAt + seconds * 1_000 });
}

/** This build never ends, but its log does. */
const BUILD_LINES_MAX = 2_000;

const PATHS = ['/cart', '/items/42', '/items/7', '/checkout', '/search?q=umbrella', '/health'];

/** A line of a pod, chosen by the number of lines it has written. */
function demoLine(count: number, release: number): string {
  if (count === 0) return `\u001b[32m✓\u001b[0m shop release ${release} listening on :3000`;
  if (count % 37 === 0) {
    return '{"level":"error","msg":"payment provider timed out","attempt":1,"after_ms":2000}';
  }
  if (count % 23 === 0)
    return `\u001b[33mWARN\u001b[0m cache miss rate ${20 + (count % 17)} % in the last minute`;
  if (count % 11 === 0)
    return `{"level":"info","msg":"주문 완료","order":${1_000 + count},"units":"0.0${count % 97}"}`;
  const path = PATHS[count % PATHS.length];
  return `GET ${path} ${count % 29 === 0 ? 404 : 200} ${3 + ((count * 7) % 40)}ms`;
}

function demoBuildLines(): string[] {
  return [
    '\u001b[1m==> Cloning shop@main\u001b[0m',
    'HEAD is now at 3f2c1aa Show units in the cart',
    '\u001b[1m==> npm ci\u001b[0m',
    'added 214 packages in 11s',
    '\u001b[1m==> npm test\u001b[0m',
    ' \u001b[32m✓\u001b[0m cart.test.ts (12 tests)',
    ' \u001b[32m✓\u001b[0m checkout.test.ts (31 tests)',
    ' \u001b[32m✓\u001b[0m search.test.ts (8 tests)',
    '\u001b[1m==> docker build\u001b[0m',
    'Step 1/6 : FROM node:26-slim',
    'Step 2/6 : WORKDIR /app',
    'Step 3/6 : COPY package*.json ./',
    'Step 4/6 : RUN npm ci --omit=dev',
    'Step 5/6 : COPY . .',
    'Step 6/6 : CMD ["node", "server.js"]',
    'Successfully built 9c1185a5c5e9',
    '\u001b[32mBuild succeeded in 45 s\u001b[0m',
  ];
}

function demoFailedBuildLines(): string[] {
  return [
    ...demoBuildLines().slice(0, 5),
    ' \u001b[32m✓\u001b[0m cart.test.ts (12 tests)',
    ' \u001b[31m✗\u001b[0m checkout.test.ts (31 tests, 1 failed)',
    '   \u001b[31mexpected 0.0125 units, received 0.01\u001b[0m',
    '     at checkout.test.ts:88:27',
    '\u001b[31mnpm test exited with code 1\u001b[0m',
    '\u001b[31mBuild failed after 31 s\u001b[0m',
  ];
}
