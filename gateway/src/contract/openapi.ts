/** Writes the endpoint table as an OpenAPI 3.1 document. */
import { documentation, tagGroups } from './documentation/documentation.ts';
import { introduction } from './documentation/introduction.ts';
import { type ApiSettings, type Endpoint, isOffered } from './endpoint.ts';
import { type EndpointName, endpoints } from './endpoints.ts';
import { namedShapes } from './named-shapes.ts';
import { AnswerWriter } from './openapi-answers.ts';
import { type OperationParts, writeOperation } from './openapi-operations.ts';
import { SchemaWriter } from './openapi-schemas.ts';
import { securitySchemes } from './openapi-security.ts';
import { shownShapes } from './shown-shapes.ts';

/** `serverUrl`: where this installation is; relative if that is not configured. */
export function openapiDocument(info: {
  version: string;
  api: ApiSettings;
  serverUrl?: string;
}): Record<string, unknown> {
  const schemas = new SchemaWriter(namedShapes, shownShapes);
  const parts: OperationParts = { schemas, answers: new AnswerWriter(schemas) };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    if (!isOffered(endpoint, info.api)) continue;
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Record<string, unknown>)[endpoint.method.toLowerCase()] = writeOperation(
      { name: name as EndpointName, endpoint },
      parts,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version: info.version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.serverUrl ?? '/', description: 'This installation.' }],
    tags: documentation.map(({ tag, description }) => ({ name: tag, description })),
    'x-tagGroups': tagGroups,
    paths,
    components: {
      securitySchemes,
      responses: parts.answers.shared(),
      examples: parts.answers.examples(),
      schemas: schemas.components(),
    },
  };
}
