/** Ids of answers and their parts, derived from the request id, so that one leads to the other. Pure. */
export function answerId(prefix: string, callId: string): string {
  return `${prefix}_${callId.slice(callId.indexOf('_') + 1)}`;
}

export function partId(prefix: string, callId: string, index: number): string {
  return `${answerId(prefix, callId)}_${index}`;
}
