/** Traces, as a real collector receives them over OTLP/HTTP. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

const SERVER = 2;
const CLIENT = 3;
const INTERNAL = 1;
const COLLECTOR_KEY = 'collector-secret-4711';
const PROMPT = 'a prompt that nobody else may see';

const config = testConfig({
  providers: {
    dead: { dialect: 'openai', base_url: 'http://127.0.0.1:1/v1', api_key: 'dead-key-1' },
    joined: {
      ...{ dialect: 'openai-compatible', vendor: 'groq', base_url: 'SIMULATOR', api_key: 'simulator-key' },
      propagate_trace: true,
    },
  },
  models: {
    'two-routes': {
      routes: [
        { provider: 'dead', model: 'sim-chat', priority: 1 },
        { provider: 'joined', model: 'sim-chat', priority: 2 },
      ],
    },
    'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
  },
  prices: { 'two-routes': { input: 1, output: 2 }, 'sim-embed': { input: 1 } },
});

let collector: OtlpReceiver;
let gateway: TestGateway;
let last = 0;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  gateway = await startGateway({
    config,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${COLLECTOR_KEY}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop();
});

/** The headers of a caller with a trace of its own. */
function caller(sampled = true): { traceId: string; headers: Record<string, string> } {
  const traceId = (++last).toString(16).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-0${sampled ? 1 : 0}` } };
}

/** The spans of a trace, once all of them have arrived. */
async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
  return await vi.waitFor(() => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    expect(spans.some(({ kind }) => kind === SERVER)).toBe(true);
    return spans.sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  }, PATIENCE);
}

const hello = (model: string, more = {}): object => {
  return { model, messages: [{ role: 'user', content: PROMPT }], ...more };
};

test('a call is a server span in the trace of its caller, with the attempt and the commit inside', async () => {
  const { traceId, headers } = caller();
  const reply = await gateway.chat(hello('sim-chat'), headers);
  const { usage } = (await reply.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
  const spans = await spansOf(traceId);
  const [server, attempt, commit] = spans as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ['POST /v1/chat/completions', SERVER],
    ['chat sim-chat', CLIENT],
    ['commit call', INTERNAL],
  ]);
  expect(server.parentSpanId).toBe('00f067aa0ba902b7');
  expect(attempt.parentSpanId).toBe(server.spanId);
  expect(commit.parentSpanId).toBe(server.spanId);
  expect(server.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v1/chat/completions',
    'http.response.status_code': 200,
    'tollgate.request_id': reply.headers.get('x-request-id'),
    'tollgate.cost_units': reply.headers.get('x-tollgate-cost-units'),
  });
  expect(attempt.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'sim-chat',
    'gen_ai.response.model': 'sim-chat-2026-01-01',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': usage.prompt_tokens,
    'gen_ai.usage.output_tokens': usage.completion_tokens,
    'server.address': '127.0.0.1',
    'tollgate.route': 'sim-chat/0',
    'tollgate.attempt': 1,
  });
  expect(server.resource).toMatchObject({
    'service.name': 'tollgate',
    'deployment.environment.name': 'test',
  });
  const times = spans.map((span) => [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)] as const);
  for (const [start, end] of times) {
    expect(start <= end).toBe(true);
    expect(start >= (times[0]?.[0] as bigint) && end <= (times[0]?.[1] as bigint)).toBe(true);
  }
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-collector-key': COLLECTOR_KEY },
  });
});

test('a stream has the time to its first token, and the usage of its end', async () => {
  const { traceId, headers } = caller();
  await (await gateway.chat(hello('sim-chat', { stream: true }), headers)).text();
  const attempt = (await spansOf(traceId)).find(({ kind }) => kind === CLIENT);
  expect(attempt?.attributes).toMatchObject({ 'gen_ai.response.model': 'sim-chat-2026-01-01' });
  expect(attempt?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
  expect(attempt?.attributes['tollgate.first_token_seconds']).toBeGreaterThan(0);
});

test('each attempt is a span, and only a provider that asks for it gets the trace', async () => {
  const { traceId, headers } = caller();
  await (await gateway.chat(hello('two-routes'), headers)).text();
  const attempts = (await spansOf(traceId)).filter(({ kind }) => kind === CLIENT);
  expect(attempts.map(({ attributes }) => attributes['tollgate.provider'])).toEqual(['dead', 'joined']);
  expect(attempts.map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual(['openai', 'groq']);
  expect(attempts.map(({ status }) => status.code)).toEqual([2, undefined]);
  expect(attempts[0]?.attributes['error.type']).toBe('upstream_unavailable');
  const sent = gateway.simulator.calls.map((call) => call.headers.traceparent);
  expect(sent.filter((one) => one !== undefined)).toEqual([`00-${traceId}-${attempts[1]?.spanId}-01`]);
  expect(sent.length).toBeGreaterThan(1);
});

test('embeddings have the operation of embeddings', async () => {
  const { traceId, headers } = caller();
  await (await gateway.post('/v1/embeddings', { model: 'sim-embed', input: PROMPT }, headers)).text();
  const attempt = (await spansOf(traceId)).find(({ kind }) => kind === CLIENT);
  expect(attempt?.name).toBe('embeddings sim-embed');
  expect(attempt?.attributes['gen_ai.operation.name']).toBe('embeddings');
});

test('a rejected request has a span without an error of the server, and its log line has the ids', async () => {
  const { traceId, headers } = caller();
  const reply = await gateway.chat(hello('no-such-model'), headers);
  const requestId = reply.headers.get('x-request-id') as string;
  const [server] = await spansOf(traceId);
  expect(server?.attributes).toMatchObject({
    'http.response.status_code': 404,
    'tollgate.error_code': 'model_not_found',
  });
  expect(server?.status).toEqual({});
  const line = gateway.logged.find((one) => one.includes(requestId)) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    ...{ request_id: requestId, error_ref: requestId, trace_id: traceId, span_id: server?.spanId },
  });
});

test('if the caller does not record its trace, nothing is sent, but the log names the trace', async () => {
  const quiet = caller(false);
  await (await gateway.chat(hello('no-such-model'), quiet.headers)).text();
  const { traceId, headers } = caller();
  await (await gateway.chat(hello('sim-chat'), headers)).text();
  await spansOf(traceId);
  expect(collector.bodies.join('')).not.toContain(quiet.traceId);
  expect(gateway.logged.join('')).toContain(quiet.traceId);
});

test('a request without a valid traceparent begins a trace of its own', async () => {
  const reply = await gateway.chat(hello('sim-chat'), { traceparent: '00-nonsense' });
  const requestId = reply.headers.get('x-request-id');
  await vi.waitFor(() => {
    const found = collector.spans.find(({ attributes }) => attributes['tollgate.request_id'] === requestId);
    expect(found?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(found?.parentSpanId).toBeUndefined();
  }, PATIENCE);
});

test('histograms have the trace of their last call as exemplar', async () => {
  const { traceId, headers } = caller();
  await (await gateway.chat(hello('sim-chat'), headers)).text();
  const page = await (await metricsOf(gateway, 'application/openmetrics-text')).text();
  const line = page
    .split('\n')
    .find((one) => one.includes(traceId) && one.startsWith('tollgate_call_seconds'));
  expect(line).toMatch(/_bucket\{.*le=".*"\} \d+ # \{trace_id="[0-9a-f]{32}"\} [0-9.e-]+ [0-9.]+$/);
});

test('neither prompts, answers nor keys are sent to the collector or logged', async () => {
  const said = gateway.simulator.calls.map(({ text }) => text);
  expect(said.some((text) => text.includes(PROMPT))).toBe(true);
  for (const secret of [PROMPT, gateway.key, 'simulator-key', 'dead-key-1', COLLECTOR_KEY])
    expect(collector.bodies.join('')).not.toContain(secret);
  expect(gateway.logged.join('')).not.toContain(COLLECTOR_KEY);
});

test('spans that a collector does not accept are dropped and counted, and calls are answered', async () => {
  collector.answer = { status: 400, body: 'no' };
  const reply = await gateway.chat(hello('sim-chat'));
  expect(reply.status, await reply.text()).toBe(200);
  await vi.waitFor(async () => {
    const series = parseMetrics(await (await metricsOf(gateway)).text());
    expect(sumOf(series, 'tollgate_spans_total', { result: 'dropped' })).toBeGreaterThanOrEqual(3);
    expect(sumOf(series, 'tollgate_spans_total', { result: 'exported' })).toBeGreaterThan(10);
  }, PATIENCE);
  expect(gateway.logged.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
  collector.answer = { status: 200, body: '{}' };
});

test('what is left is sent when the gateway stops', async () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path` };
  const second = await startGateway({ env });
  const { traceId, headers } = caller();
  await (await second.chat(hello('sim-chat'), headers)).text();
  await second.stop();
  expect(collector.spans.filter((span) => span.traceId === traceId)).toHaveLength(3);
  expect(collector.requests.at(-1)?.path).toBe('/own/path');
});
