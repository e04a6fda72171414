/** Writes the answers of an endpoint: its success, and its errors by status with an example for every code. */
import { Problem } from '../kernel/problem.ts';
import { type ProblemCode, problemCodes } from '../kernel/problem-codes.ts';
import { docsOf } from './documentation/documentation.ts';
import { commonErrorExample, errorExampleOf } from './documentation/error-examples.ts';
import { type ExampleGiven, ExampleResult, fillIn } from './documentation/example-values.ts';
import type {
  ErrorExample,
  Example,
  OperationDocs,
  SharedErrorExample,
} from './documentation/operation-docs.ts';
import type { Endpoint } from './endpoint.ts';
import { commonProblems, ownProblemsOf } from './endpoint-problems.ts';
import type { EndpointName } from './endpoints.ts';
import { ErrorBody, problemBody, ValidationErrorBody } from './error-body.ts';
import { csvContent } from './openapi-administration.ts';
import { type JsonSchema, referenceTo, type SchemaWriter } from './openapi-schemas.ts';

/** The answer that all endpoints share. */
const ANY_ENDPOINT = 'AnyEndpoint';
const ERROR_REF = 'req_01kdm5x8qv7t2n4c6f9w3hzrpa';

export class AnswerWriter {
  readonly #schemas: SchemaWriter;
  readonly #examples = new Map<string, JsonSchema>();

  constructor(schemas: SchemaWriter) {
    this.#schemas = schemas;
  }

  write(name: EndpointName, endpoint: Endpoint, docs: OperationDocs | null): JsonSchema {
    const byStatus = Map.groupBy(ownProblemsOf(endpoint), (code) => problemCodes[code].status);
    return {
      [endpoint.redirects ? 302 : 200]: this.#success(endpoint, docs),
      ...Object.fromEntries(
        [...byStatus].map(([status, codes]) => [
          status,
          this.#failure(codes, (code) => errorExampleOf(name, code)),
        ]),
      ),
      ...this.#otherAnswers(endpoint),
      default: referenceTo('responses', ANY_ENDPOINT),
    };
  }

  /** What any endpoint can answer before its own code runs. */
  shared(): JsonSchema {
    const { description, content } = this.#failure(commonProblems, commonErrorExample);
    return { [ANY_ENDPOINT]: { description: `Errors of every endpoint.\n\n${description}`, content } };
  }

  /** The examples that several endpoints refer to. */
  examples(): JsonSchema {
    return Object.fromEntries([...this.#examples].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #success(endpoint: Endpoint, docs: OperationDocs | null): JsonSchema {
    const { response, responseType = 'application/json', event } = endpoint;
    const isEvents = ({ answer }: Example): boolean => event !== undefined && typeof answer === 'string';
    const examples = docs?.examples ?? [];
    const csv = csvContent(endpoint, shownValue(examples[0]?.answer));
    return {
      description: 'Success.',
      content: {
        [responseType]: {
          schema: this.#schemas.write(response),
          ...answerExamples(examples.filter((example) => !isEvents(example))),
        },
        ...(event && {
          'text/event-stream': {
            schema: this.#schemas.write(event),
            ...answerExamples(examples.filter(isEvents)),
          },
        }),
        ...(csv && { 'text/csv': csv }),
      },
    };
  }

  #otherAnswers({ response, responseType = 'application/json', otherAnswers = {} }: Endpoint): JsonSchema {
    const content = { [responseType]: { schema: this.#schemas.write(response) } };
    return Object.fromEntries(
      Object.entries(otherAnswers).map(([status, description]) => [status, { description, content }]),
    );
  }

  /** Codes with the same status share one answer, which lists them. */
  #failure(
    codes: readonly ProblemCode[],
    exampleOf: (code: ProblemCode) => SharedErrorExample | null,
  ): JsonSchema {
    const description = codes.map((code) => `- \`${code}\`: ${problemCodes[code].text}`).join('\n');
    const examples = Object.fromEntries(
      codes.map((code) => [code, this.#errorExample(code, exampleOf(code))]),
    );
    return {
      description,
      content: { 'application/json': { schema: this.#errorSchema(codes), examples } },
    };
  }

  /** An invalid query has its own error shape; an endpoint may have other reasons for a 422. */
  #errorSchema(codes: readonly ProblemCode[]): JsonSchema {
    const validation = this.#schemas.write(ValidationErrorBody);
    const other = codes.some((code) => code !== 'validation_error');
    if (!codes.includes('validation_error')) return this.#schemas.write(ErrorBody);
    return other ? { anyOf: [validation, this.#schemas.write(ErrorBody)] } : validation;
  }

  #errorExample(code: ProblemCode, found: SharedErrorExample | null): JsonSchema {
    if (found === null) return writeError(code, { detail: problemCodes[code].text });
    const { name, example } = found;
    if (name === null) return writeError(code, example);
    if (!this.#examples.has(name)) this.#examples.set(name, writeError(code, example));
    return referenceTo('examples', name);
  }
}

/** The body of an error as it would be sent. */
export function errorExampleBody(code: ProblemCode, example: ErrorExample): unknown {
  const { detail, param, items, rows } = example;
  const options = { ...(param !== undefined && { param }), ...(items && { items }), ...(rows && { rows }) };
  return problemBody(new Problem(code, { detail, ...options }), ERROR_REF);
}

function writeError(code: ProblemCode, example: ErrorExample): JsonSchema {
  return { summary: `${problemCodes[code].status} ${code}`, value: errorExampleBody(code, example) };
}

function answerExamples(examples: readonly Example[]): { examples?: JsonSchema } {
  if (examples.length === 0) return {};
  const written = examples.map((example) => [
    exampleName(example),
    { summary: example.title, value: shownValue(example.answer) },
  ]);
  return { examples: Object.fromEntries(written) };
}

/** The key of an example in its map: the words of its title. */
export function exampleName({ title }: Example): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}

/** The value as readers see it: results of other examples are those that are shown there. */
export function shownValue(value: unknown): unknown {
  return fillIn(value, shownPlaceholder);
}

function shownPlaceholder(placeholder: ExampleResult | ExampleGiven): unknown {
  if (!(placeholder instanceof ExampleResult)) return placeholder.shown;
  const answer = docsOf(placeholder.operation)?.docs.examples[0].answer;
  return placeholder.pick(shownValue(answer));
}
