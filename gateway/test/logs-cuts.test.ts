/**
 * Connections cut at random while a nasty log is written: nothing is lost, nothing comes twice. The short
 * form; `npm run test:logs` cuts a thousand.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KubernetesStandIn, startKubernetes } from '../simulator/kubernetes/kubernetes.ts';
import { systemClock } from '../src/kernel/time.ts';
import { FileStore } from '../src/logs/files/file-store.ts';
import { KubernetesStore } from '../src/logs/kubernetes/kubernetes-store.ts';
import { clusterAt } from './support/cluster-at.ts';
import { followThroughCuts } from './support/follow-through-cuts.ts';
import { type LogServer, startLogServer } from './support/log-server.ts';
import { NastyLog, type NastyPod, seeded } from './support/nasty-log.ts';
import { makeLogRoot, PodFiles } from './support/pod-files.ts';

const CUTS = Number(process.env.TOLLGATE_LOG_CUTS ?? 20);
const SEED = Number(process.env.TOLLGATE_LOG_SEED ?? 20_261_115);
/** A few restarts in all, however long it lasts. */
const RESTART_CHANCE = 0.3 / CUTS;
const FILES_KEPT = 100;
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
      tidy: () => {
        files.compress();
        // Long read by then.
        if (files.rotated.length > FILES_KEPT) files.forget();
      },
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
      // Without ids a pod's runs cannot be told apart, and lines of two of them may cross at a restart.
      if (ids) expect(received, source).toEqual(lines);
      else expect(received.toSorted(), source).toEqual(lines.toSorted());
    }
  });
});

describe('cut at random, from the API of a cluster', () => {
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
      // What is in a file that was rotated before anybody read it is out of the API's reach, and nobody
      // can tell that there was one.
      rotate: () => {
        followed ||= pod.followed();
        if (pod.followed() || (rotatesAlways && followed)) pod.rotate();
      },
      tidy: () => undefined,
      restart: () => {
        // The API keeps one run besides the current one; a kubelet waits between restarts.
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
    ['restarts of pods, closed streams and other servers', { rotateChance: 0 }, true, 25],
    ['restarts of pods and rotated files', { rotateChance: 0.04 }, false, 0],
  ])('with %s: 0 lost, 0 repeated', { timeout: TIMEOUT_MS }, async (_, chances, cuts, restartEvery) => {
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
    // A file that is rotated right before its pod restarts leaves nothing to know the place by: of a run that is
    // over the server may then say that lines may be missing, though none is.
    const gaps = result.gaps.filter((text) => chances.rotateChance === 0 || !isOfEndedRun(text, log.written));
    expect(gaps).toEqual([]);
  });

  test(
    'with files rotated while the stream is closed, what the API no longer has is told as a gap',
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
        expect(isWithin(received, lines), `${source}: in order, nothing twice`).toBe(true);
        if (received.length < lines.length)
          expect(
            result.gaps.some((gap) => gap.includes(source)),
            `${source}: a gap is told`,
          ).toBe(true);
      }
    },
    TIMEOUT_MS,
  );
});

/** Whether all of `some` stand in `all` in the same order. */
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
