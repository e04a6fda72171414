/** The OpenAPI document describes everything it contains. A failure names what is missing, and where to add it. */
import { describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { docsOf, documentation, tagGroups } from '../../src/contract/documentation/documentation.ts';
import { errorExampleOf, errorExamples } from '../../src/contract/documentation/error-examples.ts';
import type { ErrorExample } from '../../src/contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { problemsOf } from '../../src/contract/endpoint-problems.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { namedShapes } from '../../src/contract/named-shapes.ts';
import { openapiDocument } from '../../src/contract/openapi.ts';
import { shownValue } from '../../src/contract/openapi-answers.ts';
import { problemCodes } from '../../src/kernel/problem-codes.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { $ref?: string; value?: unknown }>>;
}

interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly content: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: ReadonlyArray<{
    name: string;
    in: string;
    required: boolean;
    example?: unknown;
    description?: string;
    schema: Schema;
  }>;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Document {
  readonly servers: ReadonlyArray<{ url: string }>;
  readonly tags: ReadonlyArray<{ name: string; description: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly examples: Readonly<Record<string, { value: unknown }>>;
  };
}

const table = Object.entries<Endpoint>(endpoints) as Array<[EndpointName, Endpoint]>;
const everyEndpoint = { file_lists: true };
const document = JSON.parse(
  JSON.stringify(openapiDocument({ version: '1.2.3', api: everyEndpoint })),
) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const { schemas } = document.components;

/** Fails with one line per finding. */
function expectNone(findings: readonly string[]): void {
  if (findings.length > 0) expect.fail(`\n${[...new Set(findings)].join('\n')}\n`);
}

describe('every endpoint', () => {
  test('has no example for a header that may be left out: viewers and clients would send it always', () => {
    const findings = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ name, in: place, required, example }) =>
        place === 'header' && !required && example !== undefined ? [`${operationId}: ${name}`] : [],
      ),
    );
    expectNone(findings);
  });

  test('has a tag, a description and an example', () => {
    const missing = table.flatMap(([name]) => {
      const found = docsOf(name);
      if (found === null) {
        return [`${name} has no tag, description and example: add it to a file in contract/documentation/`];
      }
      return found.docs.description === '' ? [`${name} has no description`] : [];
    });
    expectNone(missing);
  });

  test('is documented under one tag, and nothing else is documented', () => {
    const documented = documentation.flatMap((tag) => Object.keys(tag.operations));
    expect(documented.toSorted()).toEqual(table.map(([name]) => name).toSorted());
  });

  test('has documentation whose fields are all read, and errors that it can answer', () => {
    const known = {
      operation: ['description', 'path', 'examples', 'errors'],
      request: ['path', 'query', 'headers', 'body', 'form'],
      example: ['title', 'answer', 'partial', 'notSent', 'after', 'until'],
      error: ['detail', 'param', 'items', 'rows', 'provoke'],
      provoke: ['to', 'credential', 'text', 'url', 'method'],
    };
    const unread = (where: string, value: object, fields: readonly string[]): string[] =>
      Object.keys(value).flatMap((field) =>
        fields.includes(field) ? [] : [`${where}: ${field} is not read`],
      );
    const ofErrors = (where: string, errors: object): string[] =>
      Object.entries<ErrorExample>(errors as Record<string, ErrorExample>).flatMap(([code, error]) => [
        ...unread(`${where} ${code}`, error, known.error),
        ...unread(`${where} ${code}`, error.provoke ?? {}, [...known.request, ...known.provoke]),
      ]);
    expectNone(
      table.flatMap(([name, endpoint]) => {
        const { docs } = docsOf(name) ?? {};
        if (docs === undefined) return [];
        const codes: readonly string[] = problemsOf(endpoint);
        const extra = Object.keys(docs.errors ?? {}).filter((code) => !codes.includes(code));
        return [
          ...unread(name, docs, known.operation),
          ...docs.examples.flatMap((one) => unread(name, one, [...known.request, ...known.example])),
          ...docs.examples.flatMap(({ after = [] }) => after.filter((other) => docsOf(other) === null)),
          ...ofErrors(name, docs.errors ?? {}),
          ...extra.map((code) => `${name} cannot answer ${code}`),
        ];
      }),
    );
    expectNone(ofErrors('error-examples.json', errorExamples));
    expectNone(Object.keys(errorExamples).filter((code) => !(code in problemCodes)));
  });

  test('has a summary of one short sentence', () => {
    const long = table.filter(([, { summary }]) => !/^[A-Z][^\n]{3,58}\.$/.test(summary));
    expectNone(long.map(([name, { summary }]) => `${name}: "${summary}" is not one short sentence`));
  });

  test('has an id that is a good name for a method: a verb and its object', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expectNone(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(id)).map((id) => `${id} has no verb`));
  });

  test('has a description for each of its parameters', () => {
    expectNone(
      operations.flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter(({ description }) => !description)
          .map(({ name }) => `${operationId}: the parameter ${name} has no description`),
      ),
    );
  });

  test('has named shapes for its request, its answer and its events', () => {
    expectNone(
      operations.flatMap(({ operationId, requestBody, responses }) => {
        const contents = [requestBody?.content ?? {}, responses['200']?.content ?? {}];
        return contents
          .flatMap((content) => Object.entries(content))
          .filter(([, { schema }]) => schema.$ref === undefined && schema.type !== 'string')
          .filter(([, { schema }]) => Object.keys(schema.properties ?? {}).length > 0 || schema.anyOf)
          .map(([type]) => `${operationId}: export its shape (${type}) from a file in named-shapes.ts`);
      }),
    );
  });

  test('has an example for every error code that it lists', () => {
    expectNone(
      table.flatMap(([name, endpoint]) => {
        const examples = examplesOf(operationOf(name));
        return problemsOf(endpoint)
          .filter((code) => !examples.has(code))
          .map((code) => `${name} has no example of ${code}`);
      }),
    );
    expectNone(
      table.flatMap(([name, endpoint]) =>
        problemsOf(endpoint)
          .filter((code) => errorExampleOf(name, code) === null)
          .map((code) => `${code} has no example: add it to contract/documentation/error-examples.json`),
      ),
    );
  });

  test('has examples of the shape that it declares', () => {
    expectNone(
      table.flatMap(([name, { request, response, responseType }]) =>
        (docsOf(name)?.docs.examples ?? []).flatMap(({ title, body, answer }) => {
          const wrong = [];
          if (request !== undefined && body !== undefined) {
            wrong.push(new Shape(request).error(shownValue(body)));
          }
          if (responseType === undefined && typeof answer !== 'string') {
            wrong.push(new Shape(response).error(JSON.parse(JSON.stringify(answer))));
          }
          return wrong
            .filter((error) => error !== null)
            .map(({ path, message }) => `${name}, "${title}": ${path} ${message}`);
        }),
      ),
    );
  });
});

describe('every shape', () => {
  test('and every property of it has a description', () => {
    const nameless = Object.entries(schemas).filter(([, { description }]) => !description);
    expectNone(nameless.map(([name]) => `${name} has no description`));
    expectNone(everySchema().flatMap(([place, schema]) => withoutDescription(place, schema)));
  });

  test('has one name, and is written once', () => {
    const byShape = Map.groupBy(Object.entries(namedShapes), ([, shape]) => JSON.stringify(shape));
    expectNone([...byShape.values()].filter((same) => same.length > 1).map(namesOf));
    const objects = everySchema().filter(([, { properties }]) => Object.keys(properties ?? {}).length > 1);
    const repeated = [...Map.groupBy(objects, ([, schema]) => JSON.stringify(schema)).values()];
    expectNone(repeated.filter((same) => same.length > 1).map(namesOf));
  });

  test('that is referred to exists', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(500);
    const known = document.components as unknown as Record<string, Record<string, unknown>>;
    expectNone(references.filter(([, kind = '', name = '']) => !known[kind]?.[name]).map(([text]) => text));
  });
});

describe('the document', () => {
  test('has a sentence for every tag, and every tag in one group', () => {
    for (const { description } of document.tags) expect(description).toMatch(/^[A-Z][^\n]+\.$/);
    const grouped = tagGroups.flatMap(({ tags }) => tags);
    expect(grouped.toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted());
  });

  test('names the configured address as its server, or is relative to itself', () => {
    expect(document.servers[0]?.url).toBe('/');
    const placed = openapiDocument({
      version: '1',
      api: everyEndpoint,
      serverUrl: 'https://gate.example',
    }) as unknown as Document;
    expect(placed.servers[0]?.url).toBe('https://gate.example');
  });
});

function operationOf(name: EndpointName): Operation {
  const { path, method } = endpoints[name];
  return document.paths[path]?.[method.toLowerCase()] as Operation;
}

/** The codes of its error examples. */
function examplesOf({ responses }: Operation): Set<string> {
  const codes = Object.values(responses).flatMap((answer) => {
    const { content } =
      answer.$ref === undefined ? answer : (document.components.responses.AnyEndpoint as Answer);
    return Object.keys(content['application/json']?.examples ?? {});
  });
  return new Set(codes);
}

/** Every schema of the document that is not a reference, with its place. */
function everySchema(): Array<[string, Schema]> {
  const found: Array<[string, Schema]> = [];
  const walk = (place: string, schema: Schema): void => {
    if (schema.$ref !== undefined) return;
    found.push([place, schema]);
    for (const [name, field] of Object.entries(schema.properties ?? {})) walk(`${place}.${name}`, field);
    for (const branch of schema.anyOf ?? []) walk(place, branch);
    if (schema.items) walk(`${place}[]`, schema.items);
    if (typeof schema.additionalProperties === 'object') walk(`${place}{}`, schema.additionalProperties);
  };
  for (const [name, schema] of Object.entries(schemas)) walk(name, schema);
  for (const { operationId, requestBody, responses } of operations) {
    for (const content of [requestBody?.content, responses['200']?.content]) {
      for (const { schema } of Object.values(content ?? {})) walk(operationId, schema);
    }
  }
  return found;
}

function withoutDescription(place: string, schema: Schema): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => !isDescribed(field))
    .map(([name]) => `${place}.${name} has no description`);
}

function isDescribed({ description, $ref, anyOf }: Schema): boolean {
  if (description) return true;
  if ($ref !== undefined) return Boolean(schemas[$ref.split('/').at(-1) ?? '']?.description);
  return anyOf?.some(isDescribed) ?? false;
}

function namesOf(same: ReadonlyArray<readonly [string, unknown]>): string {
  return `${same.map(([name]) => name).join(' and ')} are the same shape: declare it once and export it`;
}
