/** Sends the examples of the OpenAPI document to a running demo. */
import { docsOf } from '../../src/contract/documentation/documentation.ts';
import { ExampleGiven, type ExampleResult, fillIn } from '../../src/contract/documentation/example-values.ts';
import type {
  ErrorRequest,
  Example,
  ExampleFile,
  ExampleRequest,
} from '../../src/contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { shownValue } from '../../src/contract/openapi-answers.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import type { ExampleStage } from './example-stage.ts';

const LOOK_MS = 20;
const LOOKS_MAX = 1_000;

export interface ExampleReply {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly text: string;
}

/** Sends an example whose shown values are replaced by the real ones. */
export type SendExample = (
  name: EndpointName,
  example: Example,
  values: ReadonlyArray<readonly [shown: string, real: string]>,
) => Promise<ExampleReply>;

/** Somebody else than the operator of the demo. */
export interface ExampleCaller {
  readonly session: string;
  /** Absent: that of the demo. */
  readonly gatewayKey?: string;
}

export class ExampleRunner {
  readonly #stage: ExampleStage;
  readonly #first = new Map<EndpointName, Promise<ExampleReply>>();
  readonly #caller: ExampleCaller | null;
  readonly #sendExample: SendExample | null;
  readonly #seen: (name: EndpointName, reply: ExampleReply) => void;

  /**
   * With a caller, what they may not do is done by the operator after them. `seen` gets the replies to the caller.
   * `sendExample` sends examples in another way.
   */
  constructor(
    stage: ExampleStage,
    {
      caller = null,
      seen = () => undefined,
      sendExample = null,
    }: {
      caller?: ExampleCaller | null;
      seen?: (name: EndpointName, reply: ExampleReply) => void;
      sendExample?: SendExample | null;
    } = {},
  ) {
    this.#sendExample = sendExample;
    this.#stage = stage;
    this.#caller = caller;
    this.#seen = seen;
  }

  /** Sends an example, after those that it needs. The first of an endpoint is sent once. */
  async run(name: EndpointName, example: Example): Promise<ExampleReply> {
    if (example !== firstExample(name)) return await this.#repeat(name, example);
    const known = this.#first.get(name) ?? this.#repeat(name, example);
    this.#first.set(name, known);
    return await known;
  }

  /** Sends the first example with changes, such as those that make it fail. */
  async runChanged(name: EndpointName, changes: ErrorRequest): Promise<ExampleReply> {
    const example = firstExample(name);
    if (example.notSent === undefined) await this.run(name, example);
    const path = { ...example.path, ...changes.path };
    return await this.#send(name, { ...example, ...changes, path });
  }

  /** Sends an example once more as somebody else. */
  async runAs(caller: ExampleCaller, name: EndpointName, request: ExampleRequest): Promise<ExampleReply> {
    return await this.#sendAs(caller, name, (await this.#fill(request)) as ExampleRequest);
  }

  async #repeat(name: EndpointName, example: Example): Promise<ExampleReply> {
    for (const before of example.after ?? []) await this.run(before, firstExample(before));
    const { until } = example;
    for (let look = 0; look < LOOKS_MAX; look++) {
      const reply =
        this.#sendExample === null
          ? await this.#send(name, example)
          : await this.#sendExample(name, example, await this.#shownAndReal(example));
      if (until === undefined || reply.status !== 200) return reply;
      const body = JSON.parse(reply.text) as Record<string, unknown>;
      if (Object.entries(until).every(([field, value]) => body[field] === value)) return reply;
      await pause(systemClock, LOOK_MS);
    }
    throw new Error(`${name} did not become ${JSON.stringify(until)}`);
  }

  /** What readers see of the values that are known only now, and the values. */
  async #shownAndReal(example: Example): Promise<Array<[shown: string, real: string]>> {
    const wanted: Array<ExampleResult | ExampleGiven> = [];
    const { path, query, headers, body, form } = example;
    fillIn([path, query, headers, body, form], (placeholder) => wanted.push(placeholder));
    const pairs: Array<[string, string]> = [];
    for (const one of wanted) pairs.push([String(shownValue(one)), String(await this.#valueOf(one))]);
    return pairs;
  }

  async #send(name: EndpointName, request: ExampleRequest & ErrorRequest): Promise<ExampleReply> {
    const filled = (await this.#fill(request)) as ExampleRequest & ErrorRequest;
    const reply = await this.#sendAs(this.#caller, name, filled);
    this.#seen(name, reply);
    const denied = this.#caller !== null && (reply.status === 403 || reply.status === 404);
    return denied ? await this.#sendAs(null, name, filled) : reply;
  }

  async #sendAs(
    caller: ExampleCaller | null,
    name: EndpointName,
    filled: ExampleRequest & ErrorRequest,
  ): Promise<ExampleReply> {
    const endpoint: Endpoint = endpoints[name];
    const body = bodyOf(filled);
    const isJson = !(body instanceof FormData) && body !== null;
    const reply = await fetch(this.#stage.url + (filled.url ?? urlOf(endpoint, filled)), {
      method: filled.method ?? endpoint.method,
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(await this.#credential(name, filled.credential as string | null | undefined, caller)),
        ...(filled.headers as Record<string, string> | undefined),
      },
      ...(body !== null && { body }),
    });
    const type = reply.headers.get('content-type') ?? '';
    return { status: reply.status, headers: reply.headers, type, text: await reply.text() };
  }

  async #credential(
    name: EndpointName,
    other: string | null | undefined,
    caller: ExampleCaller | null,
  ): Promise<Record<string, string>> {
    if (other === null) return {};
    const { credential } = endpoints[name] as Endpoint;
    if (credential === 'none') return {};
    const gatewayKey = caller?.gatewayKey ?? this.#stage.gatewayKey;
    if (credential === 'messages') return { 'x-api-key': other ?? gatewayKey };
    const { managementKey } = this.#stage;
    const reads = credential === 'platform' || credential === 'organization';
    const own = credential === 'gateway' ? gatewayKey : reads ? managementKey : null;
    // Who signs out ends a session of their own.
    const session = name === 'signOut' ? undefined : caller?.session;
    return { authorization: `Bearer ${other ?? own ?? session ?? (await this.#stage.session(name))}` };
  }

  async #fill(request: unknown): Promise<unknown> {
    const values = new Map<unknown, unknown>();
    const wanted: Array<ExampleResult | ExampleGiven> = [];
    fillIn(request, (placeholder) => wanted.push(placeholder));
    for (const placeholder of wanted) values.set(placeholder, await this.#valueOf(placeholder));
    return fillIn(request, (placeholder) => values.get(placeholder));
  }

  async #valueOf(placeholder: ExampleResult | ExampleGiven): Promise<unknown> {
    if (placeholder instanceof ExampleGiven) return await this.#stage.given(placeholder.name);
    const { operation, fresh } = placeholder;
    const example = firstExample(operation);
    const { text } = await (fresh ? this.#repeat(operation, example) : this.run(operation, example));
    return placeholder.pick(JSON.parse(text));
  }
}

function firstExample(name: EndpointName): Example {
  const example = docsOf(name)?.docs.examples[0];
  if (example === undefined) throw new Error(`${name} has no example`);
  return example;
}

function urlOf({ path }: Endpoint, { path: values = {}, query = {} }: ExampleRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function bodyOf({ text, body, form }: ExampleRequest & ErrorRequest): string | FormData | null {
  if (text !== undefined) return text;
  if (body !== undefined) return JSON.stringify(body);
  if (form === undefined) return null;
  const data = new FormData();
  for (const [name, part] of Object.entries(form)) {
    if (typeof part === 'object' && 'content' in part) data.set(name, fileOf(part), part.filename);
    else data.set(name, String(part));
  }
  return data;
}

function fileOf({ content, type }: ExampleFile): Blob {
  const bytes = 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64');
  return new Blob([bytes], { type });
}
