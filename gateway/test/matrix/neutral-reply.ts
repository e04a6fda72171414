/** A reply in the words of no format. */
import { expect } from 'vitest';

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[];
  /** Data URLs. */
  readonly images: readonly string[];
  readonly finish: Finish;
  /** Null where none stopped it, or the format does not tell. */
  readonly stopSequence: string | null;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as it was written. */
  readonly arguments: string;
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Null where the format does not tell. */
  readonly reasoning: number | null;
}

/** What a reader answers: everything but what the HTTP reply itself tells. */
export interface Said {
  readonly id: string;
  readonly answers: readonly Answer[];
  /** Null where it was not shown. */
  readonly usage: Usage | null;
  readonly cost: string | null;
  /** The answer as a client sends it back in its next question. */
  readonly echo: unknown;
}

export interface Reply extends Said, Answer {
  readonly requestId: string;
  /** How many pieces the answer came in; one where it came whole. */
  readonly events: number;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly detail: string;
  readonly requestId: string;
}

interface Cost {
  readonly amount: string;
  readonly currency: string;
}

/** The amount of a cost object; every model of the matrix has a price, so it is never null. */
export function amountOf(cost: Cost | null | undefined): string {
  expect(cost).toMatchObject({ amount: expect.stringMatching(/^\d+(\.\d*[1-9])?$/), currency: 'unit' });
  return (cost as Cost).amount;
}
