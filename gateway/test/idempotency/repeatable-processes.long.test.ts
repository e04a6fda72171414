/** Calls with an Idempotency-Key when processes are killed, stall or share the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { changeConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { askedFor, chargedCalls, chatOf, eventsOf, paths, repeatsConfig } from '../support/repeats-stage.ts';

describe.each(engines)('killed processes on %s', (engine) => {
  let place: Installed;
  beforeAll(async () => {
    place = await install(engine, changeConfig(repeatsConfig, { limits: { drain_ms: 300 } }));
  });
  afterAll(() => place.remove());

  function ask({ url }: GatewayProcess, body: object, more: Record<string, string> = {}): Promise<Response> {
    return fetch(`${url}${paths.chat}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${place.key}`,
        'content-type': 'application/json',
        'idempotency-key': JSON.stringify(body).slice(0, 200),
        ...more,
      },
      body: JSON.stringify(body),
    });
  }

  test('after kill -9 during a stream the request runs again and is charged once; the events of two answers are never mixed', async () => {
    // Where another process joins the stream, it must not have ended before, also on a busy machine.
    const pace = engine === 'postgres' ? 400 : 80;
    const [whole, cut] = [
      chatOf('whole answer'),
      chatOf(`[[pace ${pace}]] [[chunks 20]] cut answer`, { stream: true }),
    ];
    const gateway = await startGatewayProcess(place);
    const beside = engine === 'postgres' ? await startGatewayProcess(place) : null;
    const first = await (await ask(gateway, whole)).text();
    const stream = await ask(gateway, cut);
    const chunk = await stream.body?.getReader().read();
    const seen = eventsOf(Buffer.from(chunk?.value ?? []).toString()).ids.at(-1) ?? '';
    expect(seen).toContain(stream.headers.get('x-request-id') ?? 'none');

    const following = beside === null ? undefined : (await ask(beside, cut)).body?.getReader();
    // Others have what was sent a moment later.
    let followed = await readOn(following, (text) => text.includes(`id: ${seen}\n`));
    await gateway.kill();
    // Another process that followed the stream ends it with an error.
    if (following !== undefined) {
      followed += await readOn(following, () => false);
      expect(followed).toContain('idempotency_in_flight');
      expect(followed).not.toContain('[DONE]');
    }

    const next = beside ?? (await startGatewayProcess(place));
    expect(await (await ask(next, whole)).text()).toBe(first);
    const again = await ask(next, cut);
    expect(await again.text()).toContain('[DONE]');
    const stale = await ask(next, cut, { 'last-event-id': seen });
    expect(stale.status).toBe(409);
    expect(await (await ask(next, cut)).text()).toContain('[DONE]');
    expect(askedFor(place, 'whole answer')).toBe(1);
    expect(askedFor(place, 'cut answer')).toBe(2);

    // A process that stops ends its calls with an error, and charges what was produced.
    const stopped = chatOf('[[pace 200]] stopped answer', { stream: true });
    const reader = (await ask(next, stopped)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    // It has 5 s for that, and 1 says that a busy machine took longer; it ends by itself.
    expect([0, 1]).toContain(await next.stop());
    await reader?.cancel().catch(() => undefined);

    const stop = await inDatabase(async (db) => {
      const [row] = await db.query<{ state: string; callId: string; body: string | null }>(sql`
        select state, call_id as "callId", (select body from repeatable_call_parts p where p.call_id = r.call_id
          order by first_event desc limit 1) as body
        from repeatable_calls r where key like '%stopped answer%'`);
      return row;
    });
    // A process has 3 s to settle what it ends; on a busy machine that may not be enough, and the key is free later.
    const settled = stop?.state === 'answered';
    if (settled) {
      expect(stop?.body).toContain('service_unavailable');
      // If the end was stored and there was no time to charge it, the next process does, at the latest for a repeat.
      const last = await startGatewayProcess(place);
      expect(await (await ask(last, stopped)).text()).toContain('service_unavailable');
      expect(await last.stop()).toBe(0);
    }
    const charged = await inDatabase(chargedCalls);
    expect(charged).toHaveLength(settled ? 3 : 2);
    expect(charged.includes(stop?.callId ?? '')).toBe(settled);
    expect(charged).toContain(again.headers.get('x-request-id'));
  });

  async function inDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }
});

/** What comes until it is enough, or to the end. */
async function readOn(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  isEnough: (text: string) => boolean,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  while (reader !== undefined && !isEnough(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

test.runIf(engines.includes('postgres'))(
  'a repeat in another process joins the stream, and gets the same events',
  async () => {
    const place = await install('postgres', repeatsConfig);
    const [one, two] = [await startGatewayProcess(place), await startGatewayProcess(place)];
    try {
      for (const more of [{ stream: true }, {}]) {
        const body = JSON.stringify(chatOf(`[[delay 100]] [[pace 30]] joined ${JSON.stringify(more)}`, more));
        const headers = {
          authorization: `Bearer ${place.key}`,
          'content-type': 'application/json',
          'idempotency-key': `joined-${more.stream}`,
        };
        const post = (url: string): Promise<Response> =>
          fetch(`${url}${paths.chat}`, { method: 'POST', headers, body });
        const replies = await Promise.all([one.url, two.url, two.url].map(post));
        const texts = await Promise.all(replies.map((reply) => reply.text()));
        expect(texts).toEqual(texts.map(() => texts[0]));
        expect(texts[0]).toContain(more.stream ? '[DONE]' : 'finish_reason');
        expect(new Set(replies.map((reply) => reply.headers.get('x-request-id'))).size).toBe(1);
      }
      expect(askedFor(place, 'joined')).toBe(2);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
      await place.remove();
    }
  },
);
