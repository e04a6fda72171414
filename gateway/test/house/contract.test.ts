/** What is published is what is served: the endpoint table, the OpenAPI document, the errors, the docs. */
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatCompletion, ChatCompletionChunk } from '../../src/contract/chat-answer.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import {
  administrationProblems,
  batchLineProblems,
  bodyProblems,
  commonProblems,
  credentialProblems,
  formProblems,
  idempotencyProblems,
  problemsOf,
  sessionProblems,
  sessionWriteProblems,
  spendingProblems,
} from '../../src/contract/endpoint-problems.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { allProblemCodes, problemCodeEntry, problemCodes } from '../../src/kernel/problem-codes.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const table: Array<[string, Endpoint]> = Object.entries<Endpoint>(endpoints);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ config: changeConfig(testConfig(), { api: { file_lists: true } }) });
});
afterAll(() => gateway.stop());

interface Operation {
  readonly operationId: string;
  readonly security: unknown[];
  readonly responses: Record<string, { description: string }>;
}

interface Published {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<'AnyEndpoint', { description: string }> };
}

async function published(): Promise<Published> {
  return (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Published;
}

describe('/openapi.json', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate((await published()) as unknown as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('lists the endpoints of the table, each once, and nothing else', async () => {
    const { paths } = await published();
    const listed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const expected = table.map(
      ([name, { method, path, operationId: id = operationId(name) }]) =>
        `${id} ${method.toLowerCase()} ${path}`,
    );
    expect(listed.sort()).toEqual(expected.sort());
  });

  test('says for each endpoint which key opens it and what it can answer', async () => {
    const { paths, components } = await published();
    for (const [, endpoint] of table) {
      const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()] as Operation;
      // A session comes in its cookie or as a bearer token, the key of a message in either header.
      const ways = {
        none: 0,
        session: 2,
        administration: 3,
        gateway: 1,
        messages: 2,
        platform: 1,
        organization: 2,
      };
      expect(operation.security).toHaveLength(ways[endpoint.credential]);
      for (const code of problemsOf(endpoint)) {
        const answer = commonProblems.includes(code)
          ? components.responses.AnyEndpoint
          : operation.responses[problemCodes[code].status];
        expect(answer?.description).toContain(`\`${code}\``);
      }
    }
  });
});

describe('the server', () => {
  test.each(table)('serves %s', async (_, { method, path, credential }) => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    });
    // What a path names may well not exist; the path itself does.
    expect(['not_found', 'method_not_allowed']).not.toContain(await codeOf(response));
    const open = await fetch(`${gateway.url}${path}`, { method });
    expect(open.status === 401).toBe(credential !== 'none');
  });

  test('takes no other method on those paths', async () => {
    for (const [path, own] of Map.groupBy(table, ([, endpoint]) => endpoint.path)) {
      const served = own.map(([, { method }]) => method);
      const url = `${gateway.url}${path.replace(/\{\w+\}/, `${own[0]?.[1].ids ?? 'x'}_1`)}`;
      for (const method of METHODS.filter((other) => !served.includes(other as Endpoint['method']))) {
        expect((await fetch(url, { method })).status, `${method} ${path}`).toBe(405);
      }
    }
  });

  test.each(['/metrics', '/admin', '/debug', '/v1/completions', '/.env', '/openapi.yaml'])(
    'has nothing at %s',
    async (path) => {
      const known = table.some(([, endpoint]) => endpoint.path === path);
      expect([known, (await fetch(`${gateway.url}${path}`)).status]).toEqual([false, 404]);
    },
  );

  test('answers in the shapes it publishes', async () => {
    const messages = [{ role: 'user', content: 'Reply with exactly: yes' }];
    const whole = await (await gateway.chat({ model: 'sim-chat', messages })).json();
    expect(new Shape(ChatCompletion).error(whole)).toBeNull();
    const unpriced = await (await gateway.chat({ model: 'unpriced', messages })).json();
    expect(new Shape(ChatCompletion).error(unpriced)).toBeNull();
    expect(unpriced).toMatchObject({ estimated_cost: null });
    const options = { stream: true, stream_options: { include_usage: true } };
    const stream = await (await gateway.chat({ model: 'sim-chat', messages, ...options })).text();
    const lines = stream.split('\n').filter((line) => line.startsWith('data: {'));
    const chunk = new Shape(ChatCompletionChunk);
    for (const line of lines) expect(chunk.error(JSON.parse(line.slice(6)))).toBeNull();
    for (const name of ['getHealth', 'getReadiness', 'listModels'] as const) {
      const { path, response } = endpoints[name];
      const headers = { authorization: `Bearer ${gateway.key}` };
      const body = await (await fetch(`${gateway.url}${path}`, { headers })).json();
      expect(new Shape(response).error(body), name).toBeNull();
    }
  });
});

describe('the problem codes', () => {
  test('are each declared by an endpoint, and every declared one is in the table', () => {
    const declared = new Set([
      ...commonProblems,
      ...credentialProblems,
      ...sessionProblems,
      ...sessionWriteProblems,
      ...administrationProblems,
      ...spendingProblems,
      ...batchLineProblems,
      ...bodyProblems,
      ...formProblems,
      ...idempotencyProblems,
      ...table.flatMap(([, endpoint]) => endpoint.problems ?? []),
    ]);
    expect([...declared].sort()).toEqual([...allProblemCodes].sort());
  });

  test('are declared once by each endpoint', () => {
    for (const [name, endpoint] of table) {
      const codes = problemsOf(endpoint);
      expect(codes.length, name).toBe(new Set(codes).size);
    }
  });

  test('are what docs/errors.md lists, with their statuses and whether to retry, both ways', () => {
    const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| ([^|]+) \| ([^|]+) \|$/gm)];
    const documented = rows.map(([, code, status, , retry]) => `${code} ${status} ${retryOf(retry)}`);
    const expected = allProblemCodes.map((code) => {
      const { status, retry } = problemCodeEntry(code);
      return `${code} ${status} ${retry ?? 'unsaid'}`;
    });
    expect(documented.sort()).toEqual(expected.sort());
  });
});

async function codeOf(response: Response): Promise<string | null> {
  return response.ok ? null : ((await response.json()) as { type: string }).type;
}

/** The last column begins with **yes** or **no** exactly where `x-should-retry` is sent. */
function retryOf(cell = ''): string {
  return cell.startsWith('**yes**') ? 'true' : cell.startsWith('**no**') ? 'false' : 'unsaid';
}

/** `keys.create` is called keysCreate by generated clients. */
function operationId(name: string): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}
