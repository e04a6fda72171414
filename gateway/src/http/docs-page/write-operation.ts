/** One operation: what it does, its fields, code that calls it, its answers and errors, and a form that sends it. Pure. */
import type { Example, ExampleFile, OperationDocs } from '../../contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { exampleRequest } from '../../contract/example-request.ts';
import { shownValue } from '../../contract/openapi-answers.ts';
import { credentialVariables, type ShownRequest } from '../../contract/request-code.ts';
import { type Html, html } from '../html.ts';
import { inline, markdown } from './markdown.ts';
import { codeBlock, requestCode } from './write-code.ts';
import { type Resolve, type Schema, writeField, writeFields } from './write-fields.ts';
import { writeTrial } from './write-trial.ts';

export interface DocumentedOperation {
  readonly endpoint: Endpoint;
  readonly docs: OperationDocs;
  /** As the OpenAPI document has it. */
  readonly written: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Schema>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface OperationPlace {
  readonly resolve: Resolve;
  readonly origin: string;
}

/** Where the page of its tag has it. */
export function anchorOf({ written }: DocumentedOperation): string {
  return String(written.operationId);
}

export function showOperation(operation: DocumentedOperation, { resolve, origin }: OperationPlace): Html {
  const { endpoint, docs, written } = operation;
  const parameters = (written.parameters ?? []) as readonly Parameter[];
  const requests = docs.examples.map((example) => exampleRequest(endpoint, example, origin));
  const first = requests[0] as ShownRequest;
  return html`<section class="operation" id="${anchorOf(operation)}">
<div class="about"><h2><a href="#${anchorOf(operation)}">${String(written.summary)}</a></h2>
<p class="path">${methodAndPath(endpoint)}</p>
${markdown(String(written.description))}
${writeCredential(endpoint)}</div>
<div class="examples">${docs.examples.map((example, i) => writeExample(example, requests[i] as ShownRequest))}
${writeTrial(first, { path: endpoint.path, parameters })}</div>
<div class="reference">${writeParameters(parameters, resolve)}
${writeBody(written.requestBody as Answer | undefined, resolve)}
${writeAnswers(written.responses as Readonly<Record<string, Answer>>, resolve)}</div>
</section>`;
}

export function methodAndPath({ method, path }: Pick<Endpoint, 'method' | 'path'>): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`;
}

function writeCredential({ credential }: Endpoint): Html {
  const variable = credentialVariables[credential];
  if (variable === null) return html`<p class="credential">Needs no credential.</p>`;
  return html`<p class="credential">Needs ${inline(variable.holds)}. The code reads it from <code>${variable.name}</code>.</p>`;
}

function writeParameters(parameters: readonly Parameter[], resolve: Resolve): Html | null {
  if (parameters.length === 0) return null;
  const titles: Readonly<Record<string, string>> = { path: 'Path', query: 'Query', header: 'Headers' };
  return html`${Object.entries(titles).map(([place, title]) => {
    const those = parameters.filter((one) => one.in === place);
    if (those.length === 0) return html``;
    return html`<h3>${title}</h3><ul class="fields">${those.map(({ name, required, description, schema }) =>
      writeField(
        name,
        { ...schema, ...(description !== undefined && { description }) },
        { required, resolve },
      ),
    )}</ul>`;
  })}`;
}

function writeBody(body: Answer | undefined, resolve: Resolve): Html | null {
  if (body?.content === undefined) return null;
  return html`${Object.entries(body.content).map(
    ([type, { schema }]) =>
      html`<details class="shape" open><summary>Request body <code>${type}</code></summary>${writeFields(schema, resolve)}</details>`,
  )}`;
}

function writeExample(example: Example, request: ShownRequest): Html {
  const files = Object.values(request.form ?? {}).filter((part) => typeof part !== 'string');
  const answer = shownValue(example.answer);
  const shown = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
  return html`<div class="example"><h3>${example.title}</h3>
${files.map(writeFile)}
${requestCode(request)}
${shown === '' ? null : html`<details class="answer"><summary>Answer</summary>${codeBlock(shown)}</details>`}</div>`;
}

/** The content of a file that the code reads; a picture is described by its type. */
function writeFile({ filename, type, content }: ExampleFile): Html {
  if (!('text' in content))
    return html`<p>It reads <code>${filename}</code>, a file of the type ${type}.</p>`;
  return html`<p>It reads <code>${filename}</code>:</p>${codeBlock(content.text)}`;
}

function writeAnswers(answers: Readonly<Record<string, Answer>>, resolve: Resolve): Html {
  const own = Object.entries(answers).filter(([status]) => status !== 'default');
  const success = own.filter(([status]) => Number(status) < 400);
  const errors = own.filter(([status]) => Number(status) >= 400);
  return html`${success.flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, { schema }]) => {
      const fields = writeFields(schema, resolve);
      return fields === null
        ? html``
        : html`<details class="shape"><summary>Fields of the answer <code>${status} ${type}</code></summary>${fields}</details>`;
    }),
  )}<details class="shape errors"><summary>Errors</summary><ul class="fields">${errors.flatMap(
    ([status, answer]) => errorsOf(status, answer, resolve),
  )}</ul><p>And the <a href="/docs#errors-of-every-endpoint">errors of every endpoint</a>.</p></details>`;
}

/** Each code has an example, whose text says what it means. */
export function errorsOf(status: string, { description, content }: Answer, resolve: Resolve): Html[] {
  const [media] = Object.values(content ?? {});
  const meanings = new Map(
    description
      .split('\n')
      .flatMap((line) => [...line.matchAll(/^- `(\w+)`: (.*)$/g)])
      .map(([, code = '', text = '']) => [code, text]),
  );
  return Object.entries(media?.examples ?? {}).map(([code, example]) => {
    const { summary, value } = typeof example.$ref === 'string' ? resolve(example.$ref) : example;
    // `400 invalid_json`
    const name = status === 'default' ? String(summary) : `${status} ${code}`;
    return html`<li><details><summary><code class="name">${name}</code> ${meanings.get(code) ?? ''}</summary>${codeBlock(
      JSON.stringify(value, null, 2),
    )}</details></li>`;
  });
}
