/**
 * What the OpenAPI document says about an endpoint besides its shapes: a description, and examples. They are data, in
 * the JSON file of their tag. A test sends every example to the running demo and compares the answers, so an example may
 * refer to the result of another one.
 */
import type { InvalidItem, InvalidRow } from '../../kernel/problem.ts';
import type { ProblemCode } from '../../kernel/problem-codes.ts';
import type { EndpointName } from '../endpoints.ts';
import type { ExampleGiven, ExampleValue } from './example-values.ts';

/** A tag groups the endpoints of one subject. */
export interface TagDocs {
  readonly tag: string;
  /** One sentence. */
  readonly description: string;
  readonly operations: Readonly<Partial<Record<EndpointName, OperationDocs>>>;
}

export interface OperationDocs {
  /** What a caller should know besides the summary. Markdown. */
  readonly description: string;
  /** What each `{name}` in the path is. */
  readonly path?: Readonly<Record<string, string>>;
  /** The first one is what `ExampleResult` refers to. */
  readonly examples: readonly [Example, ...Example[]];
  /** Examples of errors whose text differs from that of other endpoints. */
  readonly errors?: Readonly<Partial<Record<ProblemCode, ErrorExample>>>;
}

export interface Example extends ExampleRequest {
  readonly title: string;
  /** JSON; a text if the endpoint answers something else. */
  readonly answer: unknown;
  /** Whether fields that the provider adds are left out of the answer. */
  readonly partial?: true;
  /** For the test: why the demo cannot answer it. Its errors are sent all the same. */
  readonly notSent?: string;
  /** For the test: what must have been called before. */
  readonly after?: readonly EndpointName[];
  /** For the test: repeat the request until the answer has these values. */
  readonly until?: Readonly<Record<string, unknown>>;
}

export interface ExampleRequest {
  readonly path?: Readonly<Record<string, ExampleValue>>;
  readonly query?: Readonly<Record<string, ExampleValue>>;
  readonly headers?: Readonly<Record<string, ExampleValue>>;
  /** JSON, in which parts may be results of other examples. */
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, ExampleValue | ExampleFile>>;
}

export interface ExampleFile {
  readonly filename: string;
  readonly type: string;
  readonly content: { readonly text: string } | { readonly base64: string };
}

/** An error as it is answered. */
export interface ErrorExample {
  readonly detail: string;
  readonly param?: string;
  readonly items?: readonly InvalidItem[];
  readonly rows?: readonly InvalidRow[];
  /** The changes to the first example that provoke exactly this text; left out if no simple request does. */
  readonly provoke?: ErrorRequest;
}

/** An example that several endpoints refer to by this name; null: it is written in place. */
export interface SharedErrorExample {
  readonly name: string | null;
  readonly example: ErrorExample;
}

export interface ErrorRequest extends ExampleRequest {
  /** Only in the table of shared examples: the endpoint that it is sent to. */
  readonly to?: EndpointName;
  /** Another credential: none at all, or this one. */
  readonly credential?: null | string | ExampleGiven;
  /** Instead of the body: this text, as it is. */
  readonly text?: string;
  /** Another path or method than that of the endpoint. */
  readonly url?: string;
  readonly method?: string;
}
