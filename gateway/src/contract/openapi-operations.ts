/** Writes one endpoint as an operation of the OpenAPI document: its parameters, request and answers. */
import type { TObject } from 'typebox';
import { docsOf } from './documentation/documentation.ts';
import type { ExampleFile, OperationDocs } from './documentation/operation-docs.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointName } from './endpoints.ts';
import {
  administrationNotes,
  administrationPathField,
  formatParameters,
  mayLeaveOutBody,
} from './openapi-administration.ts';
import { type AnswerWriter, exampleName, shownValue } from './openapi-answers.ts';
import type { JsonSchema, SchemaWriter } from './openapi-schemas.ts';
import { securityOf } from './openapi-security.ts';

export interface OperationParts {
  readonly schemas: SchemaWriter;
  readonly answers: AnswerWriter;
}

interface Named {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
}

export function writeOperation({ name, endpoint }: Named, parts: OperationParts): JsonSchema {
  const found = docsOf(name);
  const docs = found?.docs ?? null;
  const parameters = parametersOf(endpoint, docs, parts);
  return {
    operationId: endpoint.operationId ?? operationIdOf(name),
    // Viewers show it as a title.
    summary: endpoint.summary.replace(/\.$/, ''),
    ...(found && { description: descriptionOf(endpoint, found.docs), tags: [found.tag] }),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...((endpoint.request ?? endpoint.form) && { requestBody: requestOf(endpoint, docs, parts) }),
    responses: parts.answers.write(name, endpoint, docs),
  };
}

/** `keys.create` is called keysCreate, which generated clients can use as it is. */
function operationIdOf(name: EndpointName): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function descriptionOf(endpoint: Endpoint, { description }: OperationDocs): string {
  const { alias } = endpoint;
  const also = alias === undefined ? [] : [`Also served at \`${alias}\`.`];
  return [description, ...administrationNotes(endpoint), ...also].join('\n\n');
}

function parametersOf(endpoint: Endpoint, docs: OperationDocs | null, parts: OperationParts): JsonSchema[] {
  return [
    ...pathParameters(endpoint, docs),
    ...(endpoint.credential === 'messages' ? [versionHeader] : []),
    ...(endpoint.idempotent ? [idempotencyHeader] : []),
    ...(endpoint.repeatable && endpoint.event ? [lastEventHeader] : []),
    ...(endpoint.query ? queryParameters(endpoint.query, docs, parts.schemas) : []),
    ...formatParameters(endpoint),
  ];
}

function pathParameters(endpoint: Endpoint, docs: OperationDocs | null): JsonSchema[] {
  return [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, ...schema } = administrationPathField(endpoint, name) ?? { type: 'string' };
    const shown = docs?.path?.[name] ?? description;
    return {
      name,
      in: 'path',
      required: true,
      ...(shown !== undefined && { description: shown }),
      ...exampleOf(docs?.examples[0].path?.[name]),
      schema,
    };
  });
}

function queryParameters(query: TObject, docs: OperationDocs | null, schemas: SchemaWriter): JsonSchema[] {
  return Object.entries(query.properties).map(([name, field]) => {
    const { description, ...schema } = schemas.write(field);
    return {
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      ...(description !== undefined && { description }),
      ...exampleOf(docs?.examples[0].query?.[name]),
      schema,
    };
  });
}

function exampleOf(value: unknown): { example?: unknown } {
  return value === undefined ? {} : { example: shownValue(value) };
}

const versionHeader = {
  name: 'vendor-version',
  in: 'header',
  required: true,
  description: 'The version of the messages format, as a date. `anthropic-version` is accepted as well.',
  example: '2023-06-01',
  schema: { type: 'string' },
};

/** Headers that may be left out have no example: viewers would send it with every request, which then fails. */
const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeated request with the same key gets the first answer again, for 24 hours. Choose a new one for every new request, such as a UUID.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const lastEventHeader = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'With the Idempotency-Key of a stream that was interrupted: the id of the last event that you received. The stream continues after it.',
  schema: { type: 'string' },
};

function requestOf(endpoint: Endpoint, docs: OperationDocs | null, { schemas }: OperationParts): JsonSchema {
  const { request, form, bodyOptional } = endpoint;
  return {
    required: !bodyOptional && !mayLeaveOutBody(endpoint),
    content: {
      ...(request && {
        'application/json': { schema: schemas.write(request), ...requestExamples(docs, 'body') },
      }),
      ...(form && {
        'multipart/form-data': { schema: schemas.write(form), ...requestExamples(docs, 'form') },
      }),
    },
  };
}

function requestExamples(docs: OperationDocs | null, kind: 'body' | 'form'): { examples?: JsonSchema } {
  const examples = (docs?.examples ?? []).flatMap((example) => {
    const value = example[kind];
    if (value === undefined) return [];
    return [[exampleName(example), { summary: example.title, value: shownValue(withoutFiles(value)) }]];
  });
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}

/** A file of a form is shown as its text, or by its name if it is binary. */
function withoutFiles(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isFile)) return value;
  const shown = ({ filename, content }: ExampleFile): string =>
    'text' in content ? content.text : `@${filename}`;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, isFile(part) ? shown(part) : part]),
  );
}

function isFile(part: unknown): part is ExampleFile {
  return typeof part === 'object' && part !== null && 'filename' in part && 'content' in part;
}
