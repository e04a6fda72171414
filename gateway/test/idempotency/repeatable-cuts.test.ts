/**
 * Connections that are cut at random bytes. A client that sends its request again with its Idempotency-Key, from the beginning
 * or after its last event, gets the whole answer; the provider is asked once, and one call is charged.
 * TOLLGATE_CUTS=1000 (`npm run test:cuts`) sends so many calls on each engine.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { askedFor, chargedCalls, chatOf, eventsOf, paths, repeatsConfig } from '../support/repeats-stage.ts';
import { seeded } from '../support/seeded.ts';

const CALLS = Number(process.env.TOLLGATE_CUTS ?? 24);
const AT_ONCE = 8;
const TRIES_MAX = 500;

describe.each(engines)('cut connections on %s', (engine) => {
  const random = seeded(7);
  let gateway: TestGateway;
  let proxy: CuttingProxy;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: repeatsConfig });
    // By bytes, and hardly by time: a busy machine must not cut every attempt.
    proxy = await startCuttingProxy(gateway.url, { random, bytesMax: 12_000, msMax: 120_000 });
  });
  afterAll(async () => {
    await proxy.stop();
    await gateway.stop();
  });

  async function post(url: string, body: string, key: string, lastEventId?: string): Promise<Response> {
    return await fetch(`${url}${paths.chat}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        connection: 'close',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      body,
    });
  }

  /** Sends the request through the proxy until the answer is whole. `resume`: continues after the last event. */
  async function insist(
    body: string,
    key: string,
    { streams, resume }: { streams: boolean; resume: boolean },
  ) {
    let text = '';
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const last = resume ? eventsOf(text).ids.at(-1) : undefined;
      if (!resume) text = '';
      try {
        const reply = await post(proxy.url, body, key, last);
        // A head that was cut off looks like an answer in one piece.
        if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
        if (!streams) return await reply.text();
        const decoder = new TextDecoder();
        for await (const chunk of reply.body ?? []) text += decoder.decode(chunk, { stream: true });
      } catch (error) {
        if (error instanceof Error && /^[45]\d\d /.test(error.message)) throw error;
      }
      // Only complete events count.
      const complete = text.lastIndexOf('\n\n') + 2;
      text = complete < 2 ? '' : text.slice(0, complete).replace(/^: .*\n\n/gm, '');
      if (text.endsWith('data: [DONE]\n\n')) return text;
    }
    throw new Error(`no whole answer after ${TRIES_MAX} tries`);
  }

  test(
    `${CALLS} calls through cuts have whole answers, one call to the provider and one charge each`,
    async () => {
      const before = (await chargedCalls(gateway)).length;
      const left = Array.from({ length: CALLS }, (_, i) => i);
      const client = async (): Promise<void> => {
        for (let i = left.pop(); i !== undefined; i = left.pop()) {
          const [streams, resume] = [i % 3 !== 0, i % 3 === 1];
          const word = `cut-${engine}-${i}-`;
          const body = JSON.stringify(chatOf(`[[pace 4]] ${word} tell me a story`, { stream: streams }));
          const text = await insist(body, word, { streams, resume });
          expect(text).toBe(await (await post(gateway.url, body, word)).text());
          expect(askedFor(gateway, word)).toBe(1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      expect((await chargedCalls(gateway)).length).toBe(before + CALLS);
      expect(proxy.cuts).toBeGreaterThan(CALLS / 4);
    },
    CALLS * 2_000 + 60_000,
  );
});
