/** The log follower against a scripted server: when it reconnects, and when not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BUFFER_LINES_MAX, LineBuffer, type LogEntry } from '../../src/client/line-buffer.ts';
import { LogFollower } from '../../src/client/log-follower.ts';
import type { FollowOptions, LogUpdate } from '../../src/client/log-updates.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { TestClock } from '../support/test-clock.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answers: Answer[];
let asked: URL[];
let url: string;
let server: ReturnType<typeof createServer>;
let clock: TestClock;

beforeEach(async () => {
  answers = [];
  asked = [];
  clock = new TestClock();
  server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://here'));
    const answer = answers.shift();
    if (answer === undefined) response.writeHead(503).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const options = (more: Partial<FollowOptions> = {}): FollowOptions => ({
  url,
  project: 'shop',
  follow: true,
  ids: true,
  headers: {},
  fetch,
  clock,
  ...more,
});

const line = (n: number, id = `u/app/0@${n}-1.1`): string =>
  `${JSON.stringify({ content: `line ${n}`, podName: 'web', timeStamp: '2026-11-15T03:00:00.000000000Z', last: false, id })}\n`;
const text =
  (body: string, end: 'end' | 'cut' | 'stay' = 'cut'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(body, () => {
      if (end === 'end') response.end();
      if (end === 'cut') response.destroy();
    });
  };
const status =
  (code: number, headers: Record<string, string> = {}, body = '{}'): Answer =>
  (_, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);

/** Follows until the state; delays pass at once and are noted. */
async function until(follower: LogFollower, end: string) {
  const seen = {
    states: [] as string[],
    lines: [] as string[],
    delays: [] as number[],
    events: [] as string[],
    message: '',
  };
  for await (const update of follower.updates()) {
    if (update.kind === 'lines') seen.lines.push(...update.lines.map(({ content }) => content));
    else if (update.kind === 'event') seen.events.push(update.event.event);
    else {
      seen.states.push(update.state);
      seen.message = update.message ?? seen.message;
      if (update.state === end) break;
      if (update.delayMs !== null) {
        seen.delays.push(update.delayMs);
        clock.whenWaiting(() => clock.pass(update.delayMs as number));
      }
    }
  }
  return seen;
}

describe('an interrupted stream', () => {
  test('resumes after the last line of each source, and ends at {"last":true}', async () => {
    answers = [
      text(line(1) + line(2)),
      text(line(3) + line(9, 'v/app/0@9-1.1')),
      text('{"last":true}\n', 'end'),
    ];
    const seen = await until(new LogFollower(options({ tailLines: 5, podName: 'web' })), 'ended');
    expect(seen.lines).toEqual(['line 1', 'line 2', 'line 3', 'line 9']);
    expect(seen.states).toEqual([
      'connecting',
      'live',
      'reconnecting',
      'reconnecting',
      'live',
      'reconnecting',
      'reconnecting',
      'live',
      'ended',
    ]);
    expect(seen.delays).toEqual([1_000, 1_000]);
    expect(
      asked.map(({ searchParams }) => [
        searchParams.get('tailLines'),
        searchParams.getAll('after'),
        searchParams.get('podName'),
      ]),
    ).toEqual([
      ['5', [], 'web'],
      [null, ['u/app/0@2-1.1'], 'web'],
      [null, ['u/app/0@3-1.1', 'v/app/0@9-1.1'], 'web'],
    ]);
  });

  test('is retried five times with growing delays, then fails until reconnect is called', async () => {
    const follower = new LogFollower(options());
    const seen = await until(follower, 'failed');
    expect(seen.delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(asked).toHaveLength(6);
  });

  test('resets the attempts after a line or a heartbeat, not after a 200', async () => {
    answers = [
      text(''),
      text('{"event":"caught_up"}\n'),
      text('{"event":"heartbeat"}\n'),
      text(''),
      status(404),
    ];
    const seen = await until(new LogFollower(options()), 'failed');
    expect(seen.delays).toEqual([1_000, 2_000, 1_000, 2_000]);
  });

  test('waits as long as Retry-After says', async () => {
    answers = [status(503, { 'retry-after': '7' }), status(429, { 'retry-after-ms': '2500' }), status(404)];
    const seen = await until(new LogFollower(options()), 'failed');
    expect(seen.delays).toEqual([7_000, 2_500]);
  });

  test('reconnects after 25 s without a heartbeat', async () => {
    answers = [text(line(1), 'stay'), text('{"last":true}\n', 'end')];
    const follower = new LogFollower(options());
    const updates = follower.updates();
    const next = async (): Promise<LogUpdate> => (await updates.next()).value as LogUpdate;
    await next();
    await next();
    expect(await next()).toMatchObject({ kind: 'lines' });
    const cut = next();
    clock.whenWaiting(() => clock.pass(25_000));
    expect(await cut).toMatchObject({ state: 'reconnecting', message: 'The server stopped responding.' });
    await updates.return(undefined);
  });

  test('reconnects at once on request, in every state', async () => {
    answers = [status(404), text(`${line(1)}{"last":true}\n`, 'end'), text(line(2), 'stay')];
    const follower = new LogFollower(options());
    const seen: string[] = [];
    for await (const update of follower.updates()) {
      seen.push(update.kind === 'state' ? update.state : update.kind);
      if (update.kind === 'state' && ['failed', 'ended'].includes(update.state)) follower.reconnect();
      if (seen.filter((name) => name === 'lines').length === 2) break;
    }
    expect(seen).toEqual([
      'connecting',
      'failed',
      'connecting',
      'live',
      'lines',
      'ended',
      'connecting',
      'live',
      'lines',
    ]);
  });
});

describe('a rejected request', () => {
  test.each([
    [401, '{"detail":"The session has ended."}', 'The session has ended.'],
    [403, '{}', 'The server answered 403.'],
    [404, '{"detail":"There is no such project."}', 'There is no such project.'],
    [
      422,
      '{"detail":[{"loc":["query","tailLines"],"msg":"tailLines must be a number","type":"x"}]}',
      'tailLines must be a number',
    ],
  ])('reports the message of a %s and is not retried', async (code, body, message) => {
    answers = [status(code, {}, body)];
    const seen = await until(new LogFollower(options()), 'failed');
    expect([seen.message, asked.length]).toEqual([message, 1]);
  });
});

test('being offline counts as no attempt, and coming online reconnects at once', async () => {
  let online = true;
  let changed = (): void => undefined;
  const network = {
    get online() {
      return online;
    },
    onChange: (listener: () => void) => {
      changed = listener;
      return () => undefined;
    },
  };
  answers = [
    (request, response) => {
      online = false;
      text(line(1))(request, response);
    },
    text('{"last":true}\n', 'end'),
  ];
  const states: string[] = [];
  for await (const update of new LogFollower(options({ network })).updates()) {
    if (update.kind !== 'state') continue;
    states.push(`${update.state} ${update.attempt}`);
    if (update.state === 'offline') {
      online = true;
      queueMicrotask(changed);
    }
    if (update.state === 'ended') break;
  }
  expect(states).toEqual(['connecting 0', 'live 0', 'offline 0', 'connecting 0', 'live 0', 'ended 0']);
});

test('a source without a line resumes at the position in its pod event', async () => {
  const pod = (source: string, place: string, state = 'running'): string =>
    `${JSON.stringify({ event: 'pod', podName: 'web', source, state, id: `${source}@${place}` })}\n`;
  answers = [
    text(pod('u/app/0', '5-1.1') + pod('quiet/app/0', '7-1.1') + line(1)),
    text(`${pod('u/app/0', '1-1.1')}{"event":"gap","source":"quiet/app/0","reason":"gone"}\n`),
    text('{"last":true}\n', 'end'),
  ];
  await until(new LogFollower(options({ tailLines: 1 })), 'ended');
  expect(asked.map(({ searchParams }) => searchParams.getAll('after'))).toEqual([
    [],
    ['u/app/0@1-1.1', 'quiet/app/0@7-1.1'],
    ['u/app/0@1-1.1'],
  ]);
});

test('positions that do not fit into the URL are sent in a header', async () => {
  const sources = Array.from({ length: 150 }, (_, n) => line(n, `${'0'.repeat(36)}-${n}/app/0@1-1.1`)).join(
    '',
  );
  const headers: string[] = [];
  answers = [
    text(sources),
    (request, response) => {
      headers.push(String(request.headers['x-logs-after']));
      text('{"last":true}\n', 'end')(request, response);
    },
  ];
  await until(new LogFollower(options()), 'ended');
  const [, second] = asked;
  expect(second?.href.length).toBeLessThan(8_000);
  expect((second?.searchParams.getAll('after').length ?? 0) + (headers[0]?.split(' ').length ?? 0)).toBe(150);
});

test('without ids a stream resumes by the received lines, even with equal timestamps and texts', async () => {
  const now = clock.now();
  const at = (ms: number): string => new Date(now + ms).toISOString().replace('Z', '000000Z');
  const plain = (ms: number, content: string, pod = 'web'): string =>
    `${JSON.stringify({ content, podName: pod, timeStamp: at(ms), last: false })}\n`;
  const log = [
    plain(-500, 'a'),
    plain(-400, 'tick'),
    plain(-400, 'tick'),
    plain(-450, 'late'),
    plain(-300, 'x', 'api'),
  ];
  const more = [plain(-400, 'tick'), plain(-100, 'new'), plain(-90, 'y', 'api')];
  answers = [text(log.join('')), text(`${[...log, ...more].join('')}{"last":true}\n`, 'end')];
  const seen = await until(new LogFollower(options({ ids: false, tailLines: 100 })), 'ended');
  expect(seen.lines).toEqual(['a', 'tick', 'tick', 'late', 'x', 'tick', 'new', 'y']);
  expect(seen.events).toEqual([]);
  const [, second] = asked;
  expect(second?.searchParams.get('tailLines')).toBeNull();
  expect(Number(second?.searchParams.get('sinceSeconds'))).toBeGreaterThanOrEqual(2);
});

describe('the buffer', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({
      ...{ content: String(from + i), podName: 'web', timeStamp: '' },
      last: false as const,
    }));
  const contentOf = (entry: LogEntry | undefined) =>
    entry?.kind === 'line' ? entry.line.content : entry?.event.event;

  test('keeps the newest 1,000 lines and counts the evicted ones', () => {
    const buffer = new LineBuffer();
    for (let n = 0; n < 1_500; n += 3) buffer.add(lines(n, n + 3));
    expect([buffer.lineCount, buffer.evicted]).toEqual([BUFFER_LINES_MAX, 500]);
    expect(contentOf(buffer.entries[0])).toBe('500');
    buffer.clear();
    expect([buffer.lineCount, buffer.evicted, buffer.entries.length]).toEqual([0, 0, 0]);
  });

  test('evicts events together with the lines around them, and limits them if there are no lines', () => {
    const buffer = new LineBuffer();
    buffer.add(lines(0, 1));
    buffer.addEvent({ event: 'gap' });
    buffer.add(lines(1, 1_001));
    expect([contentOf(buffer.entries[0]), buffer.evicted]).toEqual(['gap', 1]);
    buffer.add(lines(1_001, 1_002));
    expect([contentOf(buffer.entries[0]), buffer.evicted]).toEqual(['2', 2]);
    buffer.clear();
    for (let n = 0; n < 5_000; n++) buffer.addEvent({ event: 'gap' });
    expect(buffer.entries.length).toBe(2 * BUFFER_LINES_MAX);
  });

  test('says how many lines fit before an entry that is being read would be evicted', () => {
    const buffer = new LineBuffer();
    buffer.add(lines(0, 990));
    expect([buffer.room(0), buffer.room(100), buffer.room(Number.POSITIVE_INFINITY)]).toEqual([
      10, 110, 1_000,
    ]);
    buffer.add(lines(990, 1_100));
    expect([buffer.room(100), buffer.room(101)]).toEqual([0, 1]);
  });
});

test('the follower works with the real clock', async () => {
  answers = [text('{"last":true}\n', 'end')];
  expect((await until(new LogFollower(options({ clock: systemClock })), 'ended')).states.at(-1)).toBe(
    'ended',
  );
});
