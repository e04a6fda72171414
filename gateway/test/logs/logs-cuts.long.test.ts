/**
 * Connections are cut at random while a difficult log is written: no line is lost or repeated. This is the
 * short version; `npm run test:logs` cuts a thousand times.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KubernetesStandIn, startKubernetes } from '../../simulator/kubernetes/kubernetes.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { FileStore } from '../../src/logs/files/file-store.ts';
import { KubernetesStore } from '../../src/logs/kubernetes/kubernetes-store.ts';
import { clusterAt } from '../support/cluster-at.ts';
import { followThroughCuts } from '../support/follow-through-cuts.ts';
import { type LogServer, startLogServer } from '../support/log-server.ts';
import { NastyLog, type NastyPod } from '../support/nasty-log.ts';
import { makeLogRoot, PodFiles } from '../support/pod-files.ts';
import { seeded } from '../support/seeded.ts';

const CUTS = Number(process.env.TOLLGATE_LOG_CUTS ?? 20);
const SEED = Number(process.env.TOLLGATE_LOG_SEED ?? 20_261_115);
/** A few restarts in total, however long the test runs. */
const RESTART_CHANCE = 0.3 / CUTS;
const FILES_KEPT = 100;
const TIMEOUT_MS = 60_000 + CUTS * 400;

describe('logs from files, cut at random', () => {
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
      tidy: () => {
        files.compress();
        // The oldest files were read long before.
        if (files.rotated.length > FILES_KEPT) files.forget();
      },
      restart: () => {
        files.restart();
        restart++;
      },
    };
  }

  test.each([
    ['with ids, across server restarts', true, 25],
    ['with ids, on the same server', true, 0],
    ['without ids', false, 0],
  ])('a client %s loses and repeats no line', { timeout: TIMEOUT_MS }, async (_, ids, restartEvery) => {
    const random = seeded(SEED);
    const log = new NastyLog({
      random,
      podsMax: 3,
      restartChance: RESTART_CHANCE,
      makePod: (n) => makePod(n, (restart) => (ids ? `uid-${n}/app/${restart}` : `web-${n}`)),
    });
    const result = await followThroughCuts({ server, log, random, cuts: CUTS, ids, restartEvery });
    expect(server.troubles).toEqual([]);
    expect(result.gaps).toEqual([]);
    expect(result.cuts).toBeGreaterThanOrEqual(CUTS);
    expect([...result.received.keys()].sort()).toEqual([...log.written.keys()].sort());
    for (const [source, lines] of log.written) {
      const received = result.received.get(source) ?? [];
      // Without ids the runs of a pod look the same, and their lines may mix at a restart.
      if (ids) expect(received, source).toEqual(lines);
      else expect(received.toSorted(), source).toEqual(lines.toSorted());
    }
  });
});

describe('logs from the API of a cluster, cut at random', () => {
  let kubernetes: KubernetesStandIn;
  let server: LogServer;
  beforeEach(async () => {
    kubernetes = await startKubernetes();
    const cluster = clusterAt(kubernetes.url);
    server = await startLogServer(new KubernetesStore({ cluster, namespace: null, clock: systemClock }));
  });
  afterEach(async () => {
    await server.stop();
    await kubernetes.stop();
  });

  function makePod(n: number, rotatesAlways = false): NastyPod {
    const pod = kubernetes.cluster.addPod({ name: `web-${n}`, uid: `uid-${n}`, project: 'shop' });
    let [restart, restartedAt, followed] = [0, 0, false];
    return {
      get source() {
        return `uid-${n}/app/${restart}`;
      },
      record: (time, stream, tag, text) => pod.write({ time, stream, tag, text }),
      // The API cannot return a file that was rotated before it was read, and does not say that it existed.
      rotate: () => {
        followed ||= pod.followed();
        if (pod.followed() || (rotatesAlways && followed)) pod.rotate();
      },
      tidy: () => undefined,
      restart: () => {
        // The API keeps only the previous run, and a kubelet waits between restarts.
        if (systemClock.now() - restartedAt < 2_000) return;
        restartedAt = systemClock.now();
        pod.restart();
        restart++;
      },
    };
  }

  const cutStreams = (random: () => number) => (): void => {
    if (random() < 0.02) kubernetes.cut(() => (random() < 0.5 ? 'leave' : random() < 0.5 ? 'end' : 'reset'));
  };

  test.each([
    ['pod restarts, closed streams and server restarts', { rotateChance: 0 }, true, 25],
    ['pod restarts and rotated files', { rotateChance: 0.04 }, false, 0],
  ])(
    'no line is lost or repeated across %s',
    { timeout: TIMEOUT_MS },
    async (_, chances, cuts, restartEvery) => {
      const random = seeded(SEED);
      const log = new NastyLog({
        random,
        podsMax: 3,
        makePod,
        rotatesLines: false,
        restartChance: RESTART_CHANCE,
        ...chances,
      });
      const trouble = cuts ? { trouble: cutStreams(random) } : {};
      const result = await followThroughCuts({
        server,
        log,
        random,
        cuts: CUTS,
        ids: true,
        restartEvery,
        ...trouble,
      });
      expect(server.troubles).toEqual([]);
      expect(result.cuts).toBeGreaterThanOrEqual(CUTS);
      expect([...result.received.keys()].sort()).toEqual([...log.written.keys()].sort());
      for (const [source, lines] of log.written) expect(result.received.get(source), source).toEqual(lines);
      // If a file is rotated right before its pod restarts, the position cannot be found again. The server may then
      // report a gap in the ended run although nothing is missing.
      const gaps = result.gaps.filter(
        (text) => chances.rotateChance === 0 || !isOfEndedRun(text, log.written),
      );
      expect(gaps).toEqual([]);
    },
  );

  test(
    'a gap is reported for lines that the API lost because files were rotated while the stream was closed',
    async () => {
      const random = seeded(SEED);
      const log = new NastyLog({
        random,
        podsMax: 2,
        makePod: (n) => makePod(n, true),
        rotatesLines: false,
        restartChance: 0,
        rotateChance: 0.05,
      });
      const trouble = cutStreams(random);
      const result = await followThroughCuts({
        server,
        log,
        random,
        cuts: CUTS,
        ids: true,
        restartEvery: 0,
        trouble,
      });
      expect(server.troubles).toEqual([]);
      for (const [source, lines] of log.written) {
        const received = result.received.get(source) ?? [];
        expect(isWithin(received, lines), `${source}: in order, nothing repeated`).toBe(true);
        if (received.length < lines.length)
          expect(
            result.gaps.some((gap) => gap.includes(source)),
            `${source}: a gap is reported`,
          ).toBe(true);
      }
    },
    TIMEOUT_MS,
  );
});

/** Whether `all` contains all of `some` in the same order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const line of some) {
    at = all.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function isOfEndedRun(text: string, written: ReadonlyMap<string, unknown>): boolean {
  const gap = JSON.parse(text) as { reason: string; source: string; restart: number };
  const next = gap.source.replace(/\d+$/, String(gap.restart + 1));
  return gap.reason === 'rotated away' && written.has(next);
}
