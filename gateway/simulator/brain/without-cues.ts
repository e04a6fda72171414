/** A prompt as it is spoken of: without the words that only steer the play. */

const CUE = /\[\[(?:(?:fault|pace|chunks|delay|bytes) [\w.-]+|think|redact|block)\]\] ?/g;

export function withoutCues(asked: string): string {
  return asked.includes('[[') ? asked.replace(CUE, '') : asked;
}
