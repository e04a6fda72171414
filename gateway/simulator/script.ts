/**
 * What a protocol makes of one request: all it takes to play the answer, well or badly. Faults work
 * on scripts alone, so that each serves every protocol.
 */
import type { Prompt, Usage } from './brain/prompt.ts';
import type { Dialect, RequestHeaders } from './dialect.ts';

export interface Script {
  readonly model: string;
  readonly stream: boolean;
  /** The text in which cues are looked for. */
  readonly asked: string;
  /** The same number for the same prompt. */
  readonly hash: number;
  /** What a prompt cache compares; absent where there is none. */
  readonly prompt?: Prompt;
  /** The whole answer as one body. */
  body(bill: Bill): string;
  /** The whole answer as a stream; `chunks` asks for just so many content frames. */
  frames(bill: Bill, chunks: number | null): readonly Frame[];
  /** One more content frame with this text. */
  contentFrame(text: string): string;
  /** A usage told amid the content; without it, the `usage` frames of a stream serve. */
  usageFrame?(bill: Bill): string;
}

/**
 * `start` opens the stream, `done` closes it; the texts are ready for the wire. A protocol has the
 * kinds that it has: one that tells its usage together with the finish has no `usage` frame.
 */
export interface Frame {
  readonly kind: 'start' | 'content' | 'finish' | 'usage' | 'done';
  readonly text: string;
}

/** Changes the usage that is told; null tells none. */
export type Bill = (usage: Usage) => Usage | null;

export const honestBill: Bill = (usage) => usage;

/** One endpoint of one protocol. */
export interface Endpoint {
  readonly dialect: Dialect;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` in it stands for any text without a slash, and is handed to `read`. */
  readonly path: string;
  /** Whether it streams, where that is up to the path; elsewhere `stream` in the body says so. */
  readonly streams?: boolean;
  /** Throws a Refusal for a request the provider would turn down. A body that is neither JSON nor a form is undefined. */
  read(body: unknown, request: RequestHead): Script;
}

/** What stands around the body of a request. */
export interface RequestHead {
  readonly headers: RequestHeaders;
  readonly query: URLSearchParams;
  /** What stood for the `{name}`s of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** A script of an endpoint that never streams; one with no usage to tell has its body as it is. */
export function plainScript(
  script: Pick<Script, 'model' | 'asked' | 'hash'> & { body: string | Script['body'] },
): Script {
  const { body, ...rest } = script;
  return {
    ...rest,
    stream: false,
    body: typeof body === 'string' ? () => body : body,
    frames: () => [],
    contentFrame: () => '',
  };
}
