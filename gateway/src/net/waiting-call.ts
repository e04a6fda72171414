/** A call that is sent at the end of the current event-loop turn. */
import { type UpstreamCall, UpstreamFailure, type UpstreamHandler } from './upstream-call.ts';

export class WaitingCall implements UpstreamCall {
  readonly #handler: UpstreamHandler;
  readonly #send: () => UpstreamCall | null;
  #sent: UpstreamCall | null = null;
  #over = false;

  /** `send` returns null if the call failed at once. */
  constructor(handler: UpstreamHandler, send: () => UpstreamCall | null) {
    this.#handler = handler;
    this.#send = send;
  }

  send(): void {
    if (this.#over) return;
    this.#sent = this.#send();
    this.#over = this.#sent === null;
  }

  pause(): void {
    this.#sent?.pause();
  }

  resume(): void {
    this.#sent?.resume();
  }

  abort(): void {
    if (this.#sent !== null) this.#sent.abort();
    else if (!this.#over) {
      this.#over = true;
      this.#handler.fail(new UpstreamFailure('aborted', new Error('aborted by the gateway')));
    }
  }
}
