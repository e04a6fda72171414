/** Answers that a test prepared word for word: a request with `[[say NAME]]` in its prompt gets the one of that name. */
import type { ReplyHeaders } from './dialect.ts';
import { Form } from './multipart.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

export interface ExactAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: ReplyHeaders;
  readonly body: string;
  /** The answer to a request that streams: frames that are ready for the wire. */
  readonly frames?: readonly string[];
  /** The last frame waits for it. */
  readonly beforeLast?: Promise<unknown>;
}

const CUE = /\[\[say ([\w.-]+)\]\]/;

export class ExactAnswers extends Map<string, ExactAnswer> {
  /** Null when the request names no answer. */
  find(body: unknown, text: string): ExactAnswer | null {
    if (this.size === 0) return null;
    const name = CUE.exec(body instanceof Form ? (body.text('prompt') ?? '') : text)?.[1];
    if (name === undefined) return null;
    const found = this.get(name);
    if (found === undefined) throw new Refusal(404, `The simulator was given no answer named '${name}'.`);
    return found;
  }
}

/** `byteType`: the type of a stream of bytes. */
export async function sayExactly(
  { status = 200, headers = {}, body, frames = [], beforeLast }: ExactAnswer,
  { reply, stream, byteType }: { reply: Reply; stream: boolean; byteType: string | undefined },
): Promise<void> {
  if (!stream || status !== 200) {
    reply.sendJson(status, body, headers);
    return;
  }
  reply.openStream(byteType, headers);
  await reply.writeAll(beforeLast === undefined ? frames : frames.slice(0, -1));
  if (beforeLast !== undefined) {
    await beforeLast;
    await reply.writeAll(frames.slice(-1));
  }
  reply.end();
}
