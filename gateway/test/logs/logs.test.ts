/** The log API through the real server: lines, their order, access and errors. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { ValidationErrorBody } from '../../src/contract/error-body.ts';
import { LogStreamLine } from '../../src/contract/logs.ts';
import { logTimeOf } from '../../src/kernel/log-time.ts';
import { oneEngine } from '../support/engines.ts';
import type { LogLineSeen } from '../support/log-client.ts';
import { type LogStage, startLogStage } from '../support/log-stage.ts';

const lineShape = new Shape(LogStreamLine);
const validationShape = new Shape(ValidationErrorBody);

describe.each(oneEngine('embedded', 'logs'))('the log API on %s', (engine) => {
  let stage: LogStage;
  beforeAll(async () => {
    stage = await startLogStage(engine);
  });
  afterAll(() => stage.stop());

  async function makeProject(id: string): Promise<string> {
    await stage.gateway.admin('projects.add', { space: 'acme', id });
    return id;
  }

  describe('runtime logs', () => {
    test('each line has four keys, an end follows, and headers keep proxies from buffering', async () => {
      const project = await makeProject('four-keys');
      const pod = stage.pod({ project, pod: 'web-1' });
      pod.write('hello', { time: '2026-11-15T03:00:00.5Z' });
      const reply = await stage.get(`/api/projects/${project}/logs`);
      expect(reply.status).toBe(200);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        'x-request-id': expect.stringMatching(/^req_/),
      });
      expect(await reply.text()).toBe(
        '{"content":"hello","podName":"web-1","timeStamp":"2026-11-15T03:00:00.500000000Z","last":false}\n' +
          '{"last":true}\n',
      );
    });

    test('lines are merged by time across pods, and tailLines counts across all of them', async () => {
      const project = await makeProject('merged');
      const pods = ['a', 'b', 'c'].map((name) => stage.pod({ project, pod: name }));
      const at = (n: number): string => logTimeOf(Date.parse('2026-11-15T03:00:00Z') + n * 1000);
      for (let n = 0; n < 30; n++) pods[n % 3]?.write(`${n}`, { time: at(n) });
      const numbers = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => String(from + i));
      expect(await (await stage.open('', project)).contents(30)).toEqual(numbers(0, 30));
      for (const tail of [0, 1, 10, 29, 99]) {
        const lines = await (await stage.open(`?tailLines=${tail}`, project)).rest();
        const contents = lines.flatMap((line) => ('content' in line ? [line.content] : []));
        expect(contents).toEqual(numbers(Math.max(0, 30 - tail), 30));
        const followed = await stage.open(`?tailLines=${tail}&follow=true`, project);
        expect(await followed.contents(Math.min(tail, 30))).toEqual(contents);
      }
    });

    test('a follower receives new lines, new pods and restarts until it leaves', async () => {
      const project = await makeProject('followed');
      const first = stage.pod({ project, pod: 'web-1' });
      first.write('one');
      const reader = await stage.open('?follow=true&ids=true', project);
      expect(await reader.event('pod')).toMatchObject({
        podName: 'web-1',
        container: 'app',
        restart: 0,
        state: 'running',
      });
      expect(await reader.contents(1)).toEqual(['one']);
      await reader.event('caught_up');
      first.write('two');
      expect(await reader.contents(1)).toEqual(['two']);
      const second = stage.pod({ project, pod: 'web-2' });
      second.write('three');
      expect(await reader.event('pod')).toMatchObject({ podName: 'web-2', state: 'joined' });
      expect(await reader.contents(1)).toEqual(['three']);
      first.restart();
      first.write('four');
      expect(await reader.contents(1)).toEqual(['four']);
      second.remove();
      expect(await reader.event('pod')).toMatchObject({ podName: 'web-2', state: 'ended' });
      reader.close();
    });

    test('lines of pods whose clocks differ by hours arrive without delay, each pod in order', async () => {
      const project = await makeProject('skewed');
      const hours = [-1, 0, 1];
      const pods = hours.map((hour) => ({
        hour,
        pod: stage.pod({ project, pod: `web${hour}` }),
        time: (n: number) => logTimeOf(Date.now() + hour * 3_600_000 + n),
      }));
      const reader = await stage.open('?follow=true&ids=true', project);
      await reader.event('caught_up');
      for (let n = 0; n < 5; n++) {
        // The pod whose clock is ahead writes first: waiting for the other clocks would take an hour.
        for (const { pod, time } of pods.toReversed()) pod.write(`${n}`, { time: time(n) });
        const lines = await reader.take(3);
        expect(lines.map(({ podName, content }) => `${podName} ${content}`).sort()).toEqual(
          hours.map((hour) => `web${hour} ${n}`).sort(),
        );
      }
      reader.close();
    });

    test('a stream resumes after a line, and a gap is sent first if the position is gone', async () => {
      const project = await makeProject('resumed');
      const pod = stage.pod({ project, pod: 'web-1' });
      pod.lines(0, 10);
      const lines = await (await stage.open('?ids=true', project)).take(10);
      const resume = async (line: LogLineSeen | undefined, more = ''): Promise<string[]> => {
        const reader = await stage.open(
          `?ids=true&after=${encodeURIComponent(line?.id ?? '')}${more}`,
          project,
        );
        const rest = await reader.rest();
        return rest.flatMap((seen) =>
          'content' in seen ? [seen.content] : 'event' in seen ? [seen.event] : [],
        );
      };
      for (const n of [0, 5, 9]) {
        expect(await resume(lines[n])).toEqual([
          'pod',
          ...lines.slice(n + 1).map(({ content }) => content),
          'caught_up',
        ]);
        const followed = await stage.open(`?ids=true&follow=true&after=${lines[n]?.id}`, project);
        expect(await followed.contents(9 - n)).toEqual(lines.slice(n + 1).map(({ content }) => content));
        await followed.event('caught_up');
        followed.close();
      }
      pod.rotate();
      pod.write('line 10');
      pod.forget();
      expect(await resume(lines[3])).toEqual(['pod', 'gap', 'line 10', 'caught_up']);
      const gone = lines[3]?.id?.replace('uid-web-1', 'uid-gone') ?? '';
      expect(await resume({ ...(lines[3] as LogLineSeen), id: gone })).toEqual([
        'pod',
        'gap',
        'line 10',
        'caught_up',
      ]);
    });

    test('podName and container select lines, and a followed pod ends the stream with it', async () => {
      const project = await makeProject('filtered');
      const pod = stage.pod({ project, pod: 'web-1' });
      stage.pod({ project, pod: 'web-1', container: 'proxy' }).write('proxied');
      stage.pod({ project, pod: 'web-2' }).write('other');
      pod.write('mine');
      const contents = async (query: string): Promise<string[]> =>
        (await (await stage.open(query, project)).rest()).flatMap((line) =>
          'content' in line ? [line.content] : [],
        );
      expect((await contents('?podName=web-1')).sort()).toEqual(['mine', 'proxied']);
      expect(await contents('?podName=web-1&container=app')).toEqual(['mine']);
      expect(await contents('?podName=web-9')).toEqual([]);
      const reader = await stage.open('?podName=web-1&container=app&follow=true', project);
      expect(await reader.contents(1)).toEqual(['mine']);
      pod.write('last');
      pod.remove();
      expect(await reader.rest()).toMatchObject([{ content: 'last' }, { last: true }]);
    });

    test('sinceSeconds selects lines newer than that', async () => {
      const project = await makeProject('young');
      const pod = stage.pod({ project, pod: 'web-1' });
      pod.write('old', { time: logTimeOf(Date.now() - 3_600_000) });
      pod.write('new', { time: logTimeOf(Date.now() - 1_000) });
      expect(await (await stage.open('?sinceSeconds=60', project)).rest()).toMatchObject([
        { content: 'new' },
        { last: true },
      ]);
      expect(await (await stage.open('?sinceSeconds=60&follow=true', project)).contents(1)).toEqual(['new']);
    });

    test('every line has the declared shape, and heartbeats are sent while nothing is written', async () => {
      const project = await makeProject('beating');
      stage.pod({ project, pod: 'web-1' }).write('hello');
      const reader = await stage.open('?follow=true&ids=true&heartbeat=1', project);
      for (let seen = await reader.next(); ; seen = await reader.next()) {
        expect(seen).not.toBeNull();
        lineShape.check(seen);
        if (seen !== null && 'event' in seen && seen.event === 'heartbeat') break;
      }
      reader.close();
    });

    test('keys, sessions and tokens are masked', async () => {
      const project = await makeProject('masked');
      const key = stage.gateway.key;
      stage
        .pod({ project, pod: 'web-1' })
        .write(`a ${key} b ${stage.session} c Authorization: Bearer abc.def d`);
      const [line] = await (await stage.open('', project)).take(1);
      expect(line?.content).toBe('a [secret] b [secret] c Authorization: [secret] d');
    });
  });

  describe('access', () => {
    test.each([
      'nothing-here',
      'other-shop',
      '..',
      '%2e%2e',
      '..%2f..%2fetc',
      'shop%00',
      'shop%2f..%2fother-shop',
      'SHOP',
      'x'.repeat(300),
    ])('/api/projects/%s/logs answers the same 404 as any unknown project', async (id) => {
      const reply = await stage.get(`/api/projects/${id}/logs`);
      expect(reply.status).toBe(404);
      const { type, detail } = (await reply.json()) as { type: string; detail: string };
      if (type === 'project_not_found')
        expect(detail).toBe('There is no such project, or it is not yours to see.');
      // fetch resolves these before it sends them, so they become another path.
      else expect([type, ['..', '%2e%2e'].includes(id)]).toEqual(['not_found', true]);
    });

    test('a request without a session, with a key or for the project of another space is rejected', async () => {
      expect((await stage.get('/api/projects/shop/logs', null)).status).toBe(401);
      expect((await stage.get('/api/projects/shop/logs', stage.gateway.key)).status).toBe(401);
      expect((await stage.get('/api/projects/shop/logs', stage.otherSession)).status).toBe(404);
      expect((await stage.get('/api/projects/other-shop/logs', stage.otherSession)).status).toBe(200);
    });
  });

  test.each([
    ['tailLines=-1', 'tailLines'],
    ['tailLines=1e9', 'tailLines'],
    ['tailLines=1000000000', 'tailLines'],
    ['tailLines=NaN', 'tailLines'],
    ['tailLines=', 'tailLines'],
    ['tailLines=1.5', 'tailLines'],
    ['tailLines=1&tailLines=2', 'tailLines'],
    ['sinceSeconds=-5', 'sinceSeconds'],
    ['follow=yes', 'follow'],
    ['podName=../../etc', 'podName'],
    ['podName=%2e%2e%2f', 'podName'],
    ['container=a%00b', 'container'],
    ['heartbeat=0', 'heartbeat'],
    ['heartbeat=100000', 'heartbeat'],
    ['after=..', 'after'],
    ['after=uid/app/0@../../x', 'after'],
    ['after=uid/app/0@nonsense', 'after'],
    ['after=uid/app/0@1-1.1&tailLines=5', 'after'],
    ['tail=5', 'tail'],
  ])('a query with %s is rejected with 422, naming %s', async (query, name) => {
    const reply = await stage.get(`/api/projects/shop/logs?${query}`);
    expect(reply.status).toBe(422);
    const { detail } = validationShape.check(await reply.json());
    expect(detail[0]).toMatchObject({ loc: ['query', name], msg: expect.stringContaining(name) });
  });

  describe('the log of a build', () => {
    async function makeBuild(text: string | null): Promise<string> {
      const { id } = await stage.gateway.admin('builds.start', { space: 'acme', project: 'shop' });
      mkdirSync(join(stage.gateway.folder, 'builds'), { recursive: true });
      if (text !== null) writeFileSync(join(stage.gateway.folder, 'builds', `${id}.log`), text);
      return id;
    }

    test('is text, with or without line numbers', async () => {
      const id = await makeBuild('first\nsecond \u001b[32mgreen\u001b[0m\r\n\nfourth');
      await stage.gateway.admin('builds.finish', { space: 'acme', build: id, status: 'succeeded' });
      const reply = await stage.get(`/api/builds/${id}/logs`);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await reply.text()).toBe(
        '   1  first\n   2  second \u001b[32mgreen\u001b[0m\n   3  \n   4  fourth\n',
      );
      expect(await (await stage.get(`/api/builds/${id}/logs?numbers=false`)).text()).toBe(
        'first\nsecond \u001b[32mgreen\u001b[0m\n\nfourth\n',
      );
      expect((await stage.get(`/api/builds/${id}/logs?numbers=maybe`)).status).toBe(422);
      expect((await stage.get(`/api/builds/${id}/logs`, stage.otherSession)).status).toBe(404);
    });

    test('is not available while the build is running', async () => {
      const id = await makeBuild('so far\n');
      const reply = await stage.get(`/api/builds/${id}/logs`);
      expect(reply.status).toBe(422);
      expect(await reply.json()).toMatchObject({
        type: 'build_logs_unavailable',
        detail: expect.stringContaining('Build logs are not available yet'),
      });
    });

    test('answers 404 if there is no log, for any id', async () => {
      const id = await makeBuild(null);
      await stage.gateway.admin('builds.finish', { space: 'acme', build: id, status: 'failed' });
      for (const missing of [id, 'bld_00000000000000000000000000', '..%2f..%2ftollgate.yaml', 'x'])
        expect((await stage.get(`/api/builds/${missing}/logs`)).status).toBe(404);
    });
  });

  test('a graceful stop closes streams without {"last":true}, so that clients reconnect', async () => {
    const project = await makeProject('closing');
    const pod = stage.pod({ project, pod: 'web-1' });
    pod.write('hello');
    const reader = await stage.open('?follow=true', project);
    expect(await reader.contents(1)).toEqual(['hello']);
    const stopping = stage.gateway.stop();
    expect(await reader.rest()).toEqual([]);
    await stopping;
    stage = { ...stage, stop: () => Promise.resolve() };
  });
});
