/** The logs that the demo shows, through the API and as time passes. */
import { expect, test } from 'vitest';
import { serve } from '../../src/app/serve.ts';
import { sql } from '../../src/database/sql.ts';
import { DEPLOY_MS, GONE_MS, ROLL_MS } from '../../src/demo/demo-logs.ts';
import { makePlace } from '../support/engines.ts';
import { LogReader } from '../support/log-client.ts';
import { PassingClock } from '../support/passing-clock.ts';

test('the demo has three pods that are deployed again, three builds of which one is running, and its own log', async () => {
  const place = await makePlace('embedded');
  const clock = new PassingClock();
  const env = { PORT: '0', OPS_PORT: '0', TOLLGATE_DEMO_DATA: 'none' };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const server = await serve({ data: place.folder }, env, { say: () => undefined, log, clock });
  const { baseUrl } = server.status();
  const entered = await fetch(`${baseUrl}/api/console/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: server.demoSignIn?.code, keep: 'token' }),
  });
  const { token } = (await entered.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };

  const reader = await LogReader.open(
    `${baseUrl}/api/projects/demo/logs?follow=true&ids=true&tailLines=0`,
    headers,
  );
  const pods = async (state: string): Promise<string[]> => {
    const names: string[] = [];
    while (names.length < 3) {
      const event = await reader.event('pod');
      if (event.state === state) names.push(event.podName ?? '');
    }
    return names.sort();
  };
  const first = await pods('running');
  clock.pass(DEPLOY_MS);
  clock.pass(2 * ROLL_MS);
  const second = await pods('joined');
  expect([new Set([...first, ...second]).size, second.map((name) => name.split('-')[1])]).toEqual([
    6,
    ['2', '2', '2'],
  ]);
  clock.pass(GONE_MS);
  expect(await pods('ended')).toEqual(first);
  reader.close();

  const own = await LogReader.open(`${baseUrl}/api/projects/gateway/logs`, headers);
  expect((await own.rest()).map((line) => ('content' in line ? line.content : ''))).toContainEqual(
    expect.stringContaining('"msg":"tollgate is listening"'),
  );

  const builds = await server.db.query<{ id: string }>(sql`select id from builds order by started_at`);
  const replies = await Promise.all(
    builds.map(({ id }) => fetch(`${baseUrl}/api/builds/${id}/logs`, { headers })),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 422]);
  expect(await replies[0]?.text()).toMatch(/^ {3}1 {2}.+\n {3}2 {2}/);
  await server.stop();
  await place.remove();
});
