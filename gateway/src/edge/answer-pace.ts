/** How fast a client has to take an answer. */
export interface AnswerPace {
  /** It is disconnected if it takes no byte for this long. */
  readonly stallMs: number;
  /** From the head of the answer to its last byte. */
  readonly totalMs: number;
}

export interface AnswerPaces {
  readonly answer: AnswerPace;
  /** For answers that are sent as they are produced. */
  readonly stream: AnswerPace;
}

export type SlowReader = 'stalled' | 'too_slow';
