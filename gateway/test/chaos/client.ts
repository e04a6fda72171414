/** One client's call, and the note it makes of what it received: the first of the three journals. */
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { SseFramer } from '../../src/kernel/framing.ts';

/** `leaver` goes away in the middle of its stream; the others wait for the end. */
export const callKinds = [
  'whole',
  'whole-unpriced',
  'stream-with-usage',
  'stream-without-usage',
  'stream-uncounted',
  'leaver',
] as const;
export type CallKind = (typeof callKinds)[number];

export interface CallNote {
  /** Stands in the prompt, so that the provider's journal can be laid beside this one. */
  readonly mark: string;
  readonly kind: CallKind;
  /** From the reply's head; null when none came. */
  readonly requestId: string | null;
  readonly status: number | null;
  /** `full`: the JSON is whole, or the stream came to its `[DONE]`. */
  readonly end: 'full' | 'cut' | 'left';
  /** What the reply said it cost; undefined where a reply of this kind does not tell. */
  readonly cost: string | null | undefined;
  /** Of a reply that is not a 200. */
  readonly refusal: string | null;
}

export interface ClientCall {
  readonly mark: string;
  readonly kind: CallKind;
  readonly key: string;
  readonly onMoment: (moment: ClientMoment) => void;
}

/** What a client notices as it happens. */
export type ClientMoment = 'first-byte' | 'piece' | 'full' | 'refused';

/** The leaver goes after so many pieces of the body. */
const PIECES_BEFORE_LEAVING = 2;
const FRAME_CHARACTERS_MAX = 1_000_000;

export function makeCall(gateway: { url: string; agent: Agent }, call: ClientCall): Promise<CallNote> {
  return new Promise((resolve) => {
    const note = new NoteTaker(call, resolve);
    const sent: ClientRequest = request(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      agent: gateway.agent,
      headers: { authorization: `Bearer ${call.key}`, 'content-type': 'application/json' },
    });
    sent.on('response', (answer) => note.follow(answer, sent));
    sent.on('error', () => note.close('cut'));
    sent.end(JSON.stringify(bodyOf(call)));
  });
}

class NoteTaker {
  readonly #call: ClientCall;
  readonly #resolve: (note: CallNote) => void;
  #answer: IncomingMessage | null = null;
  #text = '';
  #pieces = 0;
  #done = false;
  #cost: string | null | undefined;

  constructor(call: ClientCall, resolve: (note: CallNote) => void) {
    this.#call = call;
    this.#resolve = resolve;
  }

  follow(answer: IncomingMessage, sent: ClientRequest): void {
    this.#answer = answer;
    const framer = new SseFramer({
      charactersMax: FRAME_CHARACTERS_MAX,
      onFrame: (data) => this.#frame(data),
    });
    const streams = answer.headers['content-type']?.startsWith('text/event-stream') === true;
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => {
      this.#call.onMoment(this.#pieces++ === 0 ? 'first-byte' : 'piece');
      if (streams) framer.push(piece);
      else this.#text += piece;
      if (this.#call.kind !== 'leaver' || this.#pieces < PIECES_BEFORE_LEAVING || this.#done) return;
      this.close('left');
      sent.destroy();
    });
    answer.on('end', () => {
      if (!streams) this.#whole(answer.complete);
      this.close('cut');
    });
    answer.on('error', () => this.close('cut'));
  }

  /** A reply that came in full stays so, whatever happens to its connection afterwards. */
  close(end: 'cut' | 'left'): void {
    const status = this.#answer?.statusCode ?? null;
    this.#resolve({
      mark: this.#call.mark,
      kind: this.#call.kind,
      requestId: (this.#answer?.headers['x-request-id'] as string | undefined) ?? null,
      status,
      end: this.#done ? 'full' : end,
      cost: this.#cost,
      refusal: status === null || status === 200 ? null : this.#text,
    });
  }

  #whole(complete: boolean): void {
    if (this.#answer?.statusCode !== 200) this.#call.onMoment('refused');
    if (!complete || this.#answer?.statusCode !== 200) return;
    this.#cost = costOf(JSON.parse(this.#text));
    this.#finish();
  }

  #frame(data: string): void {
    if (data === '[DONE]') this.#finish();
    else if (data.includes('"estimated_cost"')) this.#cost = costOf(JSON.parse(data));
  }

  #finish(): void {
    this.#done = true;
    this.#call.onMoment('full');
  }
}

function costOf(reply: { estimated_cost?: { amount: string } | null }): string | null {
  return reply.estimated_cost?.amount ?? null;
}

/** The pace spreads a stream over the time in which a kill may fall. */
function bodyOf(call: { mark: string; kind: CallKind }): object {
  const { mark, kind } = call;
  const streams = !kind.startsWith('whole');
  const fault = kind === 'stream-uncounted' ? ' [[fault missing-usage]]' : '';
  const content = `${mark} Tell me something in 12 words.${streams ? ' [[chunks 6]] [[pace 4]]' : ''}${fault}`;
  return {
    model: kind === 'whole-unpriced' ? 'unpriced' : 'sim-chat',
    messages: [{ role: 'user', content }],
    ...(streams && { stream: true }),
    ...(streams && kind !== 'stream-without-usage' && { stream_options: { include_usage: true } }),
  };
}
