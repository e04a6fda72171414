/**
 * Connections cut at random while a nasty log is written: nothing is lost, nothing comes twice. The short
 * form; `npm run test:logs` cuts a thousand.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../src/kernel/time.ts';
import { FileStore } from '../src/logs/files/file-store.ts';
import { followThroughCuts } from './support/follow-through-cuts.ts';
import { type LogServer, startLogServer } from './support/log-server.ts';
import { NastyLog, type NastyPod, seeded } from './support/nasty-log.ts';
import { makeLogRoot, PodFiles } from './support/pod-files.ts';

const CUTS = Number(process.env.TOLLGATE_LOG_CUTS ?? 30);
const SEED = Number(process.env.TOLLGATE_LOG_SEED ?? 20_261_115);
const TIMEOUT_MS = 60_000 + CUTS * 400;

describe('cut at random, from files', () => {
  let root: string;
  let server: LogServer;
  beforeEach(async () => {
    root = makeLogRoot();
    server = await startLogServer(new FileStore({ root, clock: systemClock }));
  });
  afterEach(async () => {
    await server.stop();
    rmSync(root, { recursive: true });
  });

  function makePod(n: number, name: (restart: number) => string): NastyPod {
    const files = new PodFiles(root, { pod: `web-${n}`, uid: `uid-${n}` });
    let restart = 0;
    return {
      get source() {
        return name(restart);
      },
      record: (time, stream, tag, text) =>
        appendFileSync(files.current, `${time} ${stream} ${tag} ${text}\n`),
      rotate: () => files.rotate(),
      tidy: () => files.compress(),
      restart: () => {
        files.restart();
        restart++;
      },
    };
  }

  test.each([
    ['by ids', true, 25],
    ['by ids, always by the same server', true, 0],
    ['by what was received, without ids', false, 0],
  ])('%s: 0 lost, 0 repeated', { timeout: TIMEOUT_MS }, async (_, ids, restartEvery) => {
    const random = seeded(SEED);
    const log = new NastyLog({
      random,
      podsMax: 3,
      makePod: (n) => makePod(n, (restart) => (ids ? `uid-${n}/app/${restart}` : `web-${n}`)),
    });
    const result = await followThroughCuts({ server, log, random, cuts: CUTS, ids, restartEvery });
    expect(server.troubles).toEqual([]);
    expect(result.gaps).toEqual([]);
    expect(result.cuts).toBeGreaterThanOrEqual(CUTS);
    expect([...result.received.keys()].sort()).toEqual([...log.written.keys()].sort());
    for (const [source, lines] of log.written) {
      const received = result.received.get(source) ?? [];
      // Without ids a pod's runs cannot be told apart, and lines of two of them may cross at a restart.
      if (ids) expect(received, source).toEqual(lines);
      else expect(received.toSorted(), source).toEqual(lines.toSorted());
    }
  });
});
