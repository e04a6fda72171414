/** Ids of answers and their parts, derived from the request id, so that one leads to the other. Pure. */
export function answerId(prefix: string, callId: string): string {
  return `${prefix}_${callId.slice(callId.indexOf('_') + 1)}`;
}

/** The request id behind the id of an answer. */
export function callIdOf(answer: string): string {
  return `req_${answer.slice(answer.indexOf('_') + 1)}`;
}

export function partId(prefix: string, callId: string, index: number): string {
  return `${answerId(prefix, callId)}_${index}`;
}
