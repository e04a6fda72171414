/** Every example of the OpenAPI document is sent to the running demo, and its errors are provoked where that is simple. */
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminEndpoint } from '../../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints, type OperationName } from '../../src/contract/administration/admin-endpoints.ts';
import { csvOf } from '../../src/contract/administration/csv.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { docsOf } from '../../src/contract/documentation/documentation.ts';
import { errorExampleOf, errorExamples } from '../../src/contract/documentation/error-examples.ts';
import type { ErrorExample, ErrorRequest } from '../../src/contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { commonProblems, problemsOf } from '../../src/contract/endpoint-problems.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { ErrorBody, ValidationErrorBody } from '../../src/contract/error-body.ts';
import { errorExampleBody, shownValue } from '../../src/contract/openapi-answers.ts';
import { type ProblemCode, problemCodes } from '../../src/kernel/problem-codes.ts';
import { type ExampleReply, ExampleRunner } from '../support/example-runner.ts';
import { demoWithEveryEndpoint, ExampleStage } from '../support/example-stage.ts';
import { shapeDifferences } from '../support/same-shape.ts';

const table = Object.entries<Endpoint>(endpoints) as Array<[EndpointName, Endpoint]>;

const errorShape = new Shape<TSchema>(ErrorBody);
const validationErrorShape = new Shape<TSchema>(ValidationErrorBody);

let stages: ExampleStage[];
let demo: ExampleRunner;
let withEveryEndpoint: ExampleRunner;

beforeAll(async () => {
  stages = await Promise.all([
    ExampleStage.start(),
    ExampleStage.start({ config: demoWithEveryEndpoint, engine: 'embedded' }),
  ]);
  [demo, withEveryEndpoint] = stages.map((stage) => new ExampleRunner(stage)) as [
    ExampleRunner,
    ExampleRunner,
  ];
});
afterAll(() => Promise.all(stages.map((stage) => stage.stop())));

/** The demo, unless it does not have the endpoint. */
function runnerFor({ onlyWith }: Endpoint): ExampleRunner {
  return onlyWith === undefined ? demo : withEveryEndpoint;
}

describe('the examples of', () => {
  test.each(table)('%s are answered as the document shows', async (name, endpoint) => {
    for (const example of docsOf(name)?.docs.examples ?? []) {
      if (example.notSent !== undefined) continue;
      const reply = await runnerFor(endpoint).run(name, example);
      expect(reply.status, `${example.title}: ${reply.text.slice(0, 500)}`).toBe(200);
      const isStream = endpoint.event !== undefined && typeof example.answer === 'string';
      const type = isStream ? 'text/event-stream' : (endpoint.responseType ?? 'application/json');
      // A file has the type that it was uploaded or created with.
      if (type !== 'application/octet-stream') expect(reply.type).toContain(type);
      const shown = parse(asSent(example.answer), type);
      const actual = parse(reply.text, type);
      expect(wrongShapes(actual, (isStream && endpoint.event) || endpoint.response, type)).toEqual([]);
      const partial = example.partial ?? false;
      expect(shapeDifferences(shown, actual, { partial }), example.title).toEqual([]);
    }
  });
});

describe('the figures of', () => {
  const lists = Object.entries<AdminEndpoint>(adminEndpoints).filter(([, { csv }]) => csv);

  test.each(lists as Array<[OperationName, AdminEndpoint]>)(
    '%s can be fetched as CSV, with the columns that the document shows',
    async (name, endpoint) => {
      const [example] = docsOf(name)?.docs.examples ?? [];
      const reply = await demo.runChanged(name, { query: { ...example?.query, format: 'csv' } });
      expect([reply.status, reply.type]).toEqual([200, 'text/csv; charset=utf-8']);
      const [columns] = csvOf(endpoint, shownValue(example?.answer)).split('\r\n');
      expect(reply.text.split('\r\n')[0]).toBe(columns);
    },
  );
});

describe('the errors of', () => {
  test.each(table)('%s have the status, code and text that the document shows', async (name, endpoint) => {
    for (const code of problemsOf(endpoint)) {
      const { example } = errorExampleOf(name, code) ?? {};
      if (example === undefined) throw new Error(`${code} has no example`);
      const shown = errorExampleBody(code, example);
      expect(shapeOf(code).error(shown)).toBeNull();
      const isElsewhere = example.provoke?.to !== undefined && example.provoke.to !== name;
      const exact = isElsewhere ? undefined : example.provoke;
      const request = exact ?? simpleRequest(code, name, endpoint);
      if (request === null) continue;
      const reply = await runnerFor(endpoint).runChanged(name, request);
      expectError(reply, { code, shown, example: exact === undefined ? null : example });
    }
  });

  test('any kind are provoked, most of them with their exact text', () => {
    const all = Object.values(errorExamples);
    expect(all.filter(({ provoke }) => provoke !== undefined).length).toBeGreaterThan(all.length / 2);
  });
});

/** `example` is given if the text must be the same. */
function expectError(
  reply: ExampleReply,
  { code, shown, example }: { code: ProblemCode; shown: unknown; example: ErrorExample | null },
): void {
  expect(reply.status, `${code}: ${reply.text.slice(0, 500)}`).toBe(problemCodes[code].status);
  const body = JSON.parse(reply.text) as ErrorBody | ValidationErrorBody;
  expect(shapeOf(code).error(body)).toBeNull();
  if ('type' in body) expect(body.type).toBe(code);
  if (example === null) return;
  expect(withoutRef(body)).toEqual(withoutRef(shown));
}

/** How a code can be provoked at any endpoint that lists it; null if there is no simple way. */
function simpleRequest(code: ProblemCode, name: EndpointName, endpoint: Endpoint): ErrorRequest | null {
  if (commonProblems.includes(code)) return null;
  const example = docsOf(name)?.docs.examples[0];
  const { credential, path } = endpoint;
  const byCode: Partial<Record<ProblemCode, ErrorRequest>> = {
    missing_credentials: { credential: null },
    ...(credential !== 'none' && { invalid_credentials: { credential: 'wrong' } }),
    csrf_failed:
      credential === 'session' || credential === 'administration'
        ? (errorExamples.csrf_failed?.provoke ?? {})
        : { headers: { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' } },
    invalid_json: { text: '{' },
    unsupported_media_type: { text: 'Hello', headers: { 'content-type': 'text/plain' } },
    idempotency_key_invalid: { headers: { 'idempotency-key': 'x'.repeat(256) } },
    ...(example?.body !== undefined && {
      model_not_found: { body: { ...(example.body as object), model: 'gpt-0' } },
    }),
  };
  const known = byCode[code];
  // A new key, because the changed request is another one.
  const key = endpoint.idempotent ? { 'idempotency-key': `${name}-${code}` } : {};
  if (known !== undefined) return { ...known, headers: { ...example?.headers, ...key, ...known.headers } };
  // Of `/v1/files/{id}`: the id of a file, for file_not_found.
  const [, resource] = /^(\w+)_not_found$/.exec(code) ?? [];
  const params = [...path.matchAll(/(\w+)\/\{(\w+)\}/g)];
  const [, , param] = params.find(([, of = '']) => resource !== undefined && of.startsWith(resource)) ?? [];
  return param === undefined ? null : { path: { [param]: 'unknown' } };
}

function shapeOf(code: ProblemCode): Shape<TSchema> {
  return code === 'validation_error' ? validationErrorShape : errorShape;
}

/** As JSON, without the ids that differ between requests. */
function withoutRef(body: unknown): unknown {
  const text = JSON.stringify(body).replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, '$1_…');
  return JSON.parse(text, (key, value) => (key === 'error_ref' ? null : value));
}

function asSent(answer: unknown): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

/** A list of values for formats that have several; the text itself for other formats. */
function parse(text: string, type: string): unknown {
  switch (type) {
    case 'application/json':
      return JSON.parse(text);
    case 'text/event-stream':
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
        data === '[DONE]' ? data : JSON.parse(data),
      );
    case 'application/jsonl':
    case 'application/x-ndjson':
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    default:
      return text;
  }
}

function wrongShapes(actual: unknown, schema: TSchema, type: string): unknown[] {
  const shape = new Shape(schema);
  if (type === 'application/jsonl') return [];
  const values = Array.isArray(actual) ? actual.filter((value) => value !== '[DONE]') : [actual];
  return values.map((value) => shape.error(value)).filter((error) => error !== null);
}
