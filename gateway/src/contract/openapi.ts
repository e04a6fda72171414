/** Writes the endpoint table as an OpenAPI 3.1 document. */
import type { TObject } from 'typebox';
import { problemCodes } from '../kernel/problem-codes.ts';
import type { Endpoint } from './endpoint.ts';
import { problemsOf } from './endpoint-problems.ts';
import { endpoints } from './endpoints.ts';
import { ErrorBody, ValidationErrorBody } from './error-body.ts';

export function openapiDocument(info: { version: string }): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Record<string, unknown>)[endpoint.method.toLowerCase()] = operation(
      name,
      endpoint,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version: info.version,
      description: 'A multi-tenant model gateway. Every call is metered exactly and charged in units.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        gatewayKey: { type: 'http', scheme: 'bearer', description: 'A gateway key (`sk_…`).' },
        managementKey: { type: 'http', scheme: 'bearer', description: 'A management key (`mk_…`).' },
        messagesKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A gateway key (`sk_…`); it may also be sent as a bearer token.',
        },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tollgate_session',
          description: 'A console session. Writes also need `x-csrf-token`.',
        },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'A console session (`ts_…`).' },
      },
      schemas: { Error: ErrorBody, ValidationError: ValidationErrorBody },
    },
  };
}

function operation(name: string, endpoint: Endpoint): Record<string, unknown> {
  return {
    operationId: name,
    summary: endpoint.summary,
    security: securityOf(endpoint),
    ...parametersOf(endpoint),
    ...((endpoint.request ?? endpoint.form) && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: {
          ...(endpoint.request && { 'application/json': { schema: endpoint.request } }),
          ...(endpoint.form && { 'multipart/form-data': { schema: endpoint.form } }),
        },
      },
    }),
    responses: { [endpoint.redirects ? 302 : 200]: success(endpoint), ...failures(endpoint) },
  };
}

function securityOf({ credential }: Endpoint): object[] {
  if (credential === 'none') return [];
  if (credential === 'session') return [{ sessionCookie: [] }, { sessionToken: [] }];
  const keys = { gateway: 'gatewayKey', messages: 'messagesKey', platform: 'managementKey' } as const;
  return [{ [keys[credential]]: [] }];
}

function parametersOf(endpoint: Endpoint): { parameters?: object[] } {
  const parameters = [
    ...pathParameters(endpoint.path),
    ...(endpoint.credential === 'messages' ? [versionHeader] : []),
    ...(endpoint.idempotent ? [idempotencyHeader] : []),
    ...(endpoint.query ? queryParameters(endpoint.query) : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: TObject): object[] {
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) ?? false,
    schema,
  }));
}

const versionHeader = {
  name: 'vendor-version',
  in: 'header',
  required: true,
  description: 'The version of the messages format, as a date. `anthropic-version` is accepted as well.',
  schema: { type: 'string', examples: ['2023-06-01'] },
};

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key gets the first answer again, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function success(endpoint: Endpoint): Record<string, unknown> {
  return {
    description: 'Success',
    content: {
      [endpoint.responseType ?? 'application/json']: { schema: endpoint.response },
      ...(endpoint.event && { 'text/event-stream': { schema: endpoint.event } }),
    },
  };
}

/** Codes with the same status share one response, which lists them. */
function failures(endpoint: Endpoint): Record<string, unknown> {
  const byStatus = new Map<number, string[]>();
  for (const code of problemsOf(endpoint)) {
    const { status, text } = problemCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${text}`]);
  }
  const content = (status: number): object => ({ 'application/json': { schema: bodyOf(endpoint, status) } });
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      status,
      { description: lines.join('\n'), content: content(status) },
    ]),
  );
}

/** An invalid query has its own error shape; an endpoint may have other reasons for a 422. */
function bodyOf(endpoint: Endpoint, status: number): object {
  const named = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const codes = problemsOf(endpoint).filter((code) => problemCodes[code].status === status);
  if (!codes.includes('validation_error')) return named('Error');
  return codes.length === 1
    ? named('ValidationError')
    : { anyOf: [named('ValidationError'), named('Error')] };
}
