/**
 * Memory of long prompts is used again by the next ones. Whatever providers and callers do meanwhile, no byte of one
 * caller's prompt is sent to a provider in the request of another.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const CALLERS = 12;
const CALLS_EACH = 20;
const ANSWER = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Every few bytes say whose they are. Longer than two blocks for some, and not a multiple of anything. */
function promptOf(caller: number, call: number): string {
  const owner = `<${String(caller * CALLS_EACH + call).padStart(6, '0')}>`;
  const text = owner.repeat(9_000 + 5_003 * (caller % 11));
  const messages = [
    { role: 'user', content: text },
    { role: 'user', content: owner.repeat(40) },
  ];
  return JSON.stringify({ messages, model: 'raw' });
}

/** Reads, stalls, answers too early or disconnects, in turn, and notes requests with bytes of several callers. */
class RoughProvider {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #requests = 0;
  whole = 0;
  readonly mixed: string[] = [];
  onBegun: (owner: string) => void = () => undefined;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn = this.#requests++ % 9;
    let text = '';
    try {
      for await (const chunk of request) {
        const first = text === '';
        text += (chunk as Buffer).toString('latin1');
        if (first) this.onBegun(/<\d{6}>/.exec(text)?.[0] ?? '');
        if (first && turn === 3) response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
        if (first && turn === 6) request.destroy();
        // The rest of the request waits in the gateway meanwhile.
        if (turn % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
      }
      this.whole++;
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
    } catch {
      // It or the gateway disconnected.
    }
    const owners = new Set(text.match(/<\d{6}>/g));
    if (owners.size > 1) this.mixed.push([...owners].join(' '));
  }
}

describe.each(oneEngine('postgres', 'providers'))('the memory of prompts on %s', (engine) => {
  const provider = new RoughProvider();
  let gateway: TestGateway;

  beforeAll(async () => {
    const origin = await provider.start();
    const connect = (name: string): string =>
      `  ${name}: { dialect: openai, base_url: "${origin}/v1", api_key: any-key-at-all }`;
    gateway = await startGateway({
      engine,
      config: testConfig({
        providers: [connect('one'), connect('two')].join('\n'),
        models: {
          raw: {
            capabilities: ['tools', 'streaming'],
            routes: [
              { provider: 'one', model: 'raw-one' },
              { provider: 'two', model: 'raw-two' },
            ],
          },
        },
      }),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.stop();
  });

  test('is never sent for another caller, while providers fail and callers disconnect', async () => {
    const leaving = new Map<string, AbortController>();
    provider.onBegun = (owner) => leaving.get(owner)?.abort();
    const statuses: number[] = [];
    const call = async (body: string, signal: AbortSignal): Promise<void> => {
      const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body, signal };
      try {
        const reply = await fetch(`${gateway.url}/v1/chat/completions`, sent);
        await reply.text();
        statuses.push(reply.status);
      } catch {
        statuses.push(0);
      }
    };
    const callAgainAndAgain = async (caller: number): Promise<void> => {
      for (let i = 0; i < CALLS_EACH; i++) {
        const body = promptOf(caller, i);
        const controller = new AbortController();
        if (i % 5 === 2) leaving.set(/<\d{6}>/.exec(body)?.[0] ?? '', controller);
        await call(body, controller.signal);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => callAgainAndAgain(caller)));
    expect(provider.mixed).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan((CALLERS * CALLS_EACH) / 2);
    expect(statuses.filter((status) => status === 0).length).toBeGreaterThan(CALLERS);
    expect(provider.whole).toBeGreaterThanOrEqual(statuses.filter((status) => status === 200).length);
  });
});
