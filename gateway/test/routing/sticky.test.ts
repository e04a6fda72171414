/** The turns of a conversation are sent to the same route, by every process, so that prompt caches are used. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { OPEN_MS } from '../../src/calls/route-health.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { type BesideGateway, startBeside, startBesideProcess } from '../support/beside.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

/** `npm run test:sticky`: 200 sessions of 20 turns, through two processes of the product. */
const IS_LONG = process.env.TOLLGATE_STICKY_SESSIONS !== undefined;
const SESSIONS = Number(process.env.TOLLGATE_STICKY_SESSIONS ?? 24);
const TURNS = Number(process.env.TOLLGATE_STICKY_TURNS ?? 4);
const AT_ONCE = 8;
/** Two hundredths of them are more than four standard deviations. */
const SINGLE_CALLS = 10_000;
const WEIGHTS = [4, 3, 2, 1];
const ROUTES = ['openai', 'openai', 'anthropic', 'google'] as const;
/** Four routes, two of them translated; and one alone, for comparison. */
const capabilities = ['streaming', 'tools'];

let gateway: TestGateway;
let beside: BesideGateway[] = [];
/** The gateways that are called in turn. */
let urls: string[] = [];
let passedMs = 0;
const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + passedMs };
const providers: Simulator[] = [];
const sessions = Array.from({ length: SESSIONS }, (_, i) => i);
/** The ids of calls that were answered, and what was answered to others. */
const answered: string[] = [];
const failures: string[] = [];

function config(): string {
  const entries = ROUTES.map((dialect, i) => {
    const { url, origin } = providers[i] as Simulator;
    const base = dialect === 'openai' ? url : dialect === 'anthropic' ? origin : `${origin}/v1beta`;
    return [`p${i}`, { dialect, base_url: base, api_key: 'k', simulated: true }];
  });
  const alone = { dialect: 'openai', base_url: (providers.at(-1) as Simulator).url, api_key: 'k' };
  const four = ROUTES.map((_, i) => ({ provider: `p${i}`, model: 'sim-chat' }));
  return testConfig({
    providers: { ...Object.fromEntries(entries), alone },
    models: {
      four: { capabilities, routes: four },
      weighted: { capabilities, routes: four.map((route, i) => ({ ...route, weight: WEIGHTS[i] })) },
      alone: { capabilities, routes: [{ provider: 'alone', model: 'sim-chat' }] },
    },
    prices: {
      four: { input: 2, cached_input: 0.2, output: 8 },
      weighted: { input: 2, cached_input: 0.2, output: 8 },
      alone: { input: 2, cached_input: 0.2, output: 8 },
    },
  });
}

beforeAll(async () => {
  for (let i = 0; i <= ROUTES.length; i++) providers.push(await startSimulator({ promptCache: true }));
  gateway = await startGateway({ config: config(), clock });
  const onPostgres = engines.includes('postgres');
  const start = IS_LONG ? startBesideProcess : startBeside;
  beside = await Promise.all(
    (onPostgres ? (IS_LONG ? [1, 2] : [1]) : []).map(() => start(gateway, config())),
  );
  urls = [...(IS_LONG && onPostgres ? [] : [gateway.url]), ...beside.map(({ url }) => url)];
});
afterAll(async () => {
  await Promise.all(beside.map((one) => one.stop()));
  await gateway?.stop();
  await Promise.all(providers.map((provider) => provider.stop()));
});

const said = (session: number, turn: number): string => `Conversation <${session}>, turn ${turn}.`;

/** What its turns had in the prompt cache. */
interface Caching {
  hits: number;
  cachedTokens: number;
  promptTokens: number;
}

/** A conversation, by one of the ways to recognise it. */
async function converse(model: string, session: number, seen: Caching): Promise<void> {
  const talk = [byHeader, byCacheKey, byStart, byPrevious][session % 4] as Talk;
  const state: TalkState = { messages: [], previous: null };
  for (let turn = 0; turn < TURNS; turn++) {
    // Each turn arrives at another process.
    const url = urls[turn % urls.length] as string;
    const usage = await talk({ model, url, session: `s${session}`, text: said(session, turn), state });
    if (usage === null) return;
    if (usage.cachedTokens > 0) seen.hits++;
    seen.cachedTokens += usage.cachedTokens;
    seen.promptTokens += usage.promptTokens;
  }
}

interface TalkState {
  messages: object[];
  previous: string | null;
}
interface TurnUsage {
  cachedTokens: number;
  promptTokens: number;
}
type Talk = (turn: {
  model: string;
  url: string;
  session: string;
  text: string;
  state: TalkState;
}) => Promise<TurnUsage | null>;

/** Null if it failed: then the others go on, so that all calls can be compared with their records. */
async function post<Answer>(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer | null> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status !== 200) {
    failures.push(`${response.status} ${answer}`);
    return null;
  }
  answered.push(response.headers.get('x-request-id') as string);
  return JSON.parse(answer) as Answer;
}

interface ChatAnswer {
  choices: Array<{ message: { content: string } }>;
  usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
}

async function chat(
  { model, url, text, state }: Parameters<Talk>[0],
  more: { body?: object; headers?: Record<string, string> },
): Promise<TurnUsage | null> {
  state.messages.push({ role: 'user', content: text });
  const body = { model, messages: state.messages, ...more.body };
  const answer = await post<ChatAnswer>(`${url}/v1/chat/completions`, body, more.headers);
  if (answer === null) return null;
  state.messages.push({ role: 'assistant', content: answer.choices[0]?.message.content });
  const { prompt_tokens: promptTokens, prompt_tokens_details: details } = answer.usage;
  return { promptTokens, cachedTokens: details.cached_tokens };
}

const byHeader: Talk = (turn) => chat(turn, { headers: { 'x-session-id': turn.session } });
const byCacheKey: Talk = (turn) => chat(turn, { body: { prompt_cache_key: turn.session } });
const byStart: Talk = (turn) => chat(turn, {});

interface ResponseAnswer {
  id: string;
  usage: { input_tokens: number; input_tokens_details: { cached_tokens: number } };
}

const byPrevious: Talk = async ({ model, url, text, state }) => {
  const body = { model, input: text, previous_response_id: state.previous };
  const answer = await post<ResponseAnswer>(`${url}/v1/responses`, body);
  if (answer === null) return null;
  state.previous = answer.id;
  const { input_tokens: promptTokens, input_tokens_details: details } = answer.usage;
  return { promptTokens, cachedTokens: details.cached_tokens };
};

async function converseAll(model: string): Promise<Caching> {
  const seen = { hits: 0, cachedTokens: 0, promptTokens: 0 };
  await several(sessions, (session) => converse(model, session, seen));
  expect(failures).toEqual([]);
  return seen;
}

/** A few at a time. */
async function several(
  numbers: readonly number[],
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  const waiting = numbers.values();
  const worker = async (): Promise<void> => {
    for (const number of waiting) await work(number);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function shareOf({ cachedTokens, promptTokens }: Caching): number {
  return cachedTokens / promptTokens;
}

/** The routes that served each session. */
function served(from = 0): Map<number, Set<number>> {
  const routes = new Map<number, Set<number>>();
  providers.slice(0, ROUTES.length).forEach((provider, route) => {
    for (const { text, at } of provider.calls) {
      const session = Number(/<(\d+)>/.exec(text)?.[1]);
      if (at < from) continue;
      routes.set(session, (routes.get(session) ?? new Set()).add(route));
    }
  });
  return routes;
}

describe('with four routes and two processes', () => {
  let before: Map<number, Set<number>>;

  test('a conversation stays on one route, and nearly all of the prompt cache of a single route is used', async () => {
    const single = await converseAll('alone');
    const four = await converseAll('four');
    before = served();
    expect([...before.values()].filter((routes) => routes.size !== 1)).toEqual([]);
    expect(before.size).toBe(SESSIONS);
    expect(single.hits).toBe(SESSIONS * (TURNS - 1));
    expect(four.hits / single.hits).toBeGreaterThanOrEqual(0.95);
    // Answers differ in length between the routes, so the shares are compared.
    expect(shareOf(four) / shareOf(single)).toBeGreaterThanOrEqual(0.95);
    // All routes are used; shares are measured with 100,000 sessions in choose-route.test.ts.
    expect(new Set([...before.values()].flatMap((routes) => [...routes])).size).toBe(ROUTES.length);
  });

  test('if a route dies, only its conversations move, no call fails, and they return when it is back', async () => {
    const dead = 1;
    const { origin } = providers[dead] as Simulator;
    const port = Number(new URL(origin).port);
    await providers[dead]?.stop();
    const diedAt = Date.now();
    await converseAll('four');
    const after = served(diedAt);
    for (const session of sessions) {
      const [was] = before.get(session) ?? [];
      const now = [...(after.get(session) ?? [])];
      if (was === dead) expect(now.includes(dead)).toBe(false);
      else expect(now).toEqual([was]);
      expect(now).toHaveLength(1);
    }
    const revived = await startSimulator({ promptCache: true, port });
    providers[dead] = revived;
    const own = sessions.find((session) => before.get(session)?.has(dead) && session % 4 !== 3) as number;
    passedMs += OPEN_MS + 1_000;
    // The clock of another process cannot be moved, so it is asked until its breaker lets a call through.
    await expect.poll(() => returned(own, revived), PATIENCE).toBe(true);
    expect(failures).toEqual([]);
  });

  /** Whether the gateways send the session to the provider. */
  async function returned(session: number, { calls }: Simulator): Promise<boolean> {
    const seen = calls.length;
    const asked = IS_LONG ? urls : [gateway.url];
    for (const url of asked) {
      const talk = [byHeader, byCacheKey, byStart][session % 4] as Talk;
      const state: TalkState = { messages: [], previous: null };
      await talk({ model: 'four', url, session: `s${session}`, text: said(session, 0), state });
    }
    return calls.slice(seen).filter(({ text }) => text.includes(`<${session}>`)).length === asked.length;
  }

  test.runIf(IS_LONG)('calls of many sessions are spread by weight, within two hundredths', async () => {
    const counted = (): number[] => providers.slice(0, ROUTES.length).map(({ calls }) => calls.length);
    const earlier = counted();
    const singles = Array.from({ length: SINGLE_CALLS }, (_, i) => i);
    await several(singles, async (i) => {
      const body = { model: 'weighted', messages: [{ role: 'user', content: 'Reply with exactly: yes' }] };
      const url = urls[i % urls.length];
      await post(`${url}/v1/chat/completions`, body, { 'x-session-id': `single-${i}` });
    });
    expect(failures).toEqual([]);
    const sum = WEIGHTS.reduce((a, b) => a + b);
    counted().forEach((count, i) => {
      const share = (count - (earlier[i] as number)) / SINGLE_CALLS;
      expect(Math.abs(share - (WEIGHTS[i] as number) / sum)).toBeLessThan(0.02);
    });
  });

  test('every call is recorded and charged once', async () => {
    const rows = await gateway.query<{ id: string }>(sql`select id from calls where cost is not null`);
    expect(rows.map(({ id }) => id).sort()).toEqual(answered.toSorted());
    const [other] = await gateway.query<{ rows: number }>(
      sql`select count(*)::int as rows from calls where cost is null`,
    );
    expect(other).toEqual({ rows: 0 });
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
