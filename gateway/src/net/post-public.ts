/**
 * Sends a small request to an address that somebody configured: only to checked addresses of the public internet or hosts that
 * the operator allowed. Redirects are not followed, and of the answer only its status is read.
 */
import { Problem } from '../kernel/problem.ts';
import { type FetchTools, publicClient } from './fetch-public.ts';
import { UpstreamFailure } from './upstream-call.ts';

export interface PublicPost {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** In total, from the connection to the head of the answer. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

/** The status that was answered, or in words why there is none. */
export type PostResult = { readonly status: number } | { readonly status: null; readonly problem: string };

export async function postPublic(post: PublicPost, tools: FetchTools): Promise<PostResult> {
  const { totalMs, body, headers, signal } = post;
  try {
    const checked = await tools.guard.check(post.address, {
      param: 'The address',
      schemes: ['https'],
    });
    const { url } = checked;
    const client = publicClient(checked, totalMs, tools);
    const reply = await client.send({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers,
      body: { length: body.length, pieces: () => [body] },
      signal,
    });
    reply.discard();
    return { status: reply.status };
  } catch (error) {
    return { status: null, problem: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (!(error instanceof UpstreamFailure)) throw error;
  if (error.kind === 'timeout') return 'The receiver took too long.';
  if (error.kind === 'connect') return 'The receiver cannot be reached.';
  return 'The receiver closed the connection before it answered.';
}
