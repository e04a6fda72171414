/** Streams that the gateway closes: the person lost access, or the client does not read. */
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultLimits } from '../../src/app/limits.ts';
import { LogFollower } from '../../src/client/log-follower.ts';
import { ACCESS_CHECK_MS } from '../../src/http/watch-access.ts';
import { logTimeOf } from '../../src/kernel/log-time.ts';
import { oneEngine } from '../support/engines.ts';
import { type LogStage, PASSWORD, startLogStage } from '../support/log-stage.ts';
import { PassingClock } from '../support/passing-clock.ts';
import { PATIENCE } from '../support/patience.ts';
import type { PodFiles } from '../support/pod-files.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';
import { TestClock } from '../support/test-clock.ts';

const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** More than all buffers of a connection can hold. */
const LINES = 20_000;

describe.each(oneEngine('postgres', 'logs'))('access to a stream on %s', (engine) => {
  const clock = new PassingClock();
  let stage: LogStage;
  beforeAll(async () => {
    stage = await startLogStage(engine, clock);
  });
  afterAll(() => stage.stop());

  const signOut = (session: string): Promise<Response> =>
    fetch(`${stage.gateway.url}/api/console/session`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${session}` },
    });

  test('a stream stays open while its reader has access, and another reader who signs out loses only their own', async () => {
    expect(ACCESS_CHECK_MS).toBeLessThanOrEqual(15_000);
    const pod = stage.pod({ pod: 'stays' });
    const leaver = await stage.person('leaves@example.com');
    const [staying, leaving] = await Promise.all([
      stage.open('?follow=true&ids=true'),
      stage.open('?follow=true&ids=true', 'shop', leaver),
    ]);
    await Promise.all([staying.event('caught_up'), leaving.event('caught_up')]);
    await signOut(leaver);
    clock.pass(ACCESS_CHECK_MS);
    expect(await leaving.rest()).toEqual([]);
    for (const text of ['one', 'two']) {
      pod.write(text);
      expect(await staying.contents(1)).toEqual([text]);
      clock.pass(ACCESS_CHECK_MS);
    }
    staying.close();
  });

  test('a person may have a limited number of streams open, and another person has their own limit', async () => {
    const greedy = await stage.person('greedy@example.com');
    const { logStreamsPerPerson: most } = defaultLimits;
    const follow = '/api/projects/shop/logs?follow=true';
    const open = await Promise.all(Array.from({ length: most }, () => stage.get(follow, greedy)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const refused = await stage.get(follow, greedy);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain(`You have ${most} log streams open, which is the limit.`);
    const other = await stage.get(follow);
    expect(other.status).toBe(200);
    for (const reply of [...open, other]) await reply.body?.cancel();
    await vi.waitFor(async () => {
      const again = await stage.get(follow, greedy);
      await again.body?.cancel();
      expect(again.status).toBe(200);
    }, PATIENCE);
  });

  test.each<[string, string, number, (session: string, email: string) => Promise<unknown>]>([
    ['signs out', 'signed-out', 401, signOut],
    [
      'gets another password',
      'new-password',
      401,
      (_, email) => stage.gateway.admin('people.password', { email, password: `${PASSWORD} 2` }),
    ],
    [
      'is removed from the space, but not from another',
      'removed',
      404,
      async (_, email) => {
        await stage.gateway.admin('members.add', { space: 'other', email, role: 'member' });
        await stage.gateway.admin('members.remove', { space: 'acme', email });
      },
    ],
    [
      'is removed from their only space',
      'homeless',
      401,
      (_, email) => stage.gateway.admin('members.remove', { space: 'acme', email }),
    ],
    [
      'reads a project that is removed',
      'gone',
      404,
      () => stage.gateway.admin('projects.remove', { space: 'acme', project: 'gone' }),
    ],
    // Last, because every session has expired after it.
    [
      'has a session whose time is over',
      'expired',
      401,
      async () => clock.pass(SESSION_MS - ACCESS_CHECK_MS),
    ],
  ])(
    'the stream of a person who %s is closed at the next access check, without {"last":true}',
    async (_, project, status, leave) => {
      await stage.gateway.admin('projects.add', { space: 'acme', id: project });
      const pod = stage.pod({ project, pod: 'web-1' });
      const email = `${project}@example.com`;
      const session = await stage.person(email);
      const reader = await stage.open('?follow=true&ids=true', project, session);
      await reader.event('caught_up');
      pod.write('before');
      expect(await reader.contents(1)).toEqual(['before']);
      await leave(session, email);
      clock.pass(ACCESS_CHECK_MS);
      expect(await reader.rest()).toEqual([]);
      expect((await stage.get(`/api/projects/${project}/logs`, session)).status).toBe(status);
    },
  );
});

describe.each(oneEngine('postgres', 'logs'))('a stream on %s', (engine) => {
  let stage: LogStage;
  beforeAll(async () => {
    stage = await startLogStage(engine);
  });
  afterAll(() => stage.stop());

  test('of a person who is removed from the space is closed without waiting for the access check', async () => {
    const session = await stage.person('removed-soon@example.com');
    const reader = await stage.open('?follow=true&ids=true', 'shop', session);
    await reader.event('caught_up');
    await stage.gateway.admin('members.remove', { space: 'acme', email: 'removed-soon@example.com' });
    const beganMs = performance.now();
    expect(await reader.rest()).toEqual([]);
    expect(performance.now() - beganMs).toBeLessThan(ACCESS_CHECK_MS / 2);
  });
});

describe('a client that does not read', () => {
  let clock: PassingClock;
  let stage: LogStage;
  beforeAll(async () => {
    clock = new PassingClock();
    stage = await startLogStage('embedded', clock);
  });
  afterAll(() => stage.stop());

  function write(pod: PodFiles, from: number, to: number): void {
    const time = logTimeOf(clock.now());
    const lines = Array.from(
      { length: to - from },
      (_, i) => `${time} stdout F ${from + i} ${'x'.repeat(1_000)}\n`,
    );
    appendFileSync(pod.current, lines.join(''));
  }

  /** Follows as the command line does, and stops reading as soon as it is connected. */
  async function stopReading(project: string, headers: Record<string, string>) {
    const own = new TestClock();
    const options = { url: stage.gateway.url, project, follow: true, ids: true, headers, fetch, clock: own };
    const updates = new LogFollower(options).updates();
    for await (const update of { [Symbol.asyncIterator]: () => ({ next: () => updates.next() }) })
      if (update.kind === 'state' && update.state === 'live') break;
    await vi.waitFor(async () => expect(await gauge('answers_unread')).toBe(1), PATIENCE);
    return { updates, own };
  }

  async function gauge(name: string): Promise<number | null> {
    return sumOf(parseMetrics(await (await metricsOf(stage.gateway)).text()), `tollgate_${name}`);
  }
  const inFlight = (): Promise<number | null> => gauge('requests_in_flight');

  test('is disconnected after five minutes, not before, and loses and repeats nothing when it reconnects', async () => {
    const pod = stage.pod({ pod: 'held' });
    write(pod, 0, LINES);
    const { updates, own } = await stopReading('shop', { authorization: `Bearer ${stage.session}` });
    clock.pass(defaultLimits.streamStallMs - 60_000);
    expect(await inFlight()).toBe(1);
    clock.pass(60_000);
    await vi.waitFor(async () => expect(await inFlight()).toBe(0), PATIENCE);
    write(pod, LINES, LINES + 10);
    const received: number[] = [];
    let reconnects = 0;
    for await (const update of updates) {
      if (update.kind === 'event') expect(update.event.event).not.toBe('gap');
      if (update.kind === 'state' && update.delayMs !== null) {
        reconnects++;
        own.whenWaiting(() => own.pass(update.delayMs ?? 0));
      }
      if (update.kind !== 'lines') continue;
      received.push(...update.lines.map(({ content }) => Number.parseInt(content, 10)));
      if (received.at(-1) === LINES + 9) break;
    }
    expect(received).toEqual(Array.from({ length: LINES + 10 }, (_, i) => i));
    expect(reconnects).toBe(1);
  });

  test('is disconnected at the next access check after signing out, and does not delay a stop', async () => {
    await stage.gateway.admin('projects.add', { space: 'acme', id: 'held-out' });
    write(stage.pod({ project: 'held-out', pod: 'web-1' }), 0, LINES);
    const session = await stage.person('held@example.com');
    const headers = { authorization: `Bearer ${session}` };
    const { updates } = await stopReading('held-out', headers);
    expect(await inFlight()).toBe(1);
    await fetch(`${stage.gateway.url}/api/console/session`, { method: 'DELETE', headers });
    clock.pass(ACCESS_CHECK_MS);
    await vi.waitFor(async () => expect(await inFlight()).toBe(0), PATIENCE);
    await updates.return(undefined);
  });
});
