/** Reads a whole Gemini answer. It has the shape of a stream chunk, so it is read as one. Pure. */
import type { OutputPart } from '../../text/text-call.ts';
import type { TextEvent } from '../../text/text-event.ts';
import type { Finish, TextResult } from '../../text/text-result.ts';
import type { AnswerReading } from '../provider.ts';
import { GoogleStreamReader } from './read-stream.ts';

export function readGoogleAnswer(body: Buffer, { callId }: Pick<AnswerReading, 'callId'>): TextResult | null {
  const answers = new Map<number, Answer>();
  const reader = new GoogleStreamReader(callId, (event) => {
    const answer = answers.get(event.answer) ?? { parts: [], finish: NOT_TOLD };
    answers.set(event.answer, answer);
    add(answer, event);
  });
  reader.frame(body.toString('utf8'));
  if (reader.fault !== null || answers.size === 0) return null;
  const inOrder = [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer);
  const { usageSoFar: usage } = reader;
  return { answers: inOrder, usage, ...(usage === null && { seenDetails: reader.seenDetails }) };
}

interface Answer {
  readonly parts: OutputPart[];
  finish: Finish;
}

const NOT_TOLD: Finish = { reason: 'stop', stopSequence: null, raw: '' };

function add(answer: Answer, event: TextEvent): void {
  const { parts } = answer;
  const last = parts.at(-1);
  switch (event.type) {
    case 'text':
      if (last?.type === 'text') parts[parts.length - 1] = { type: 'text', text: last.text + event.text };
      else parts.push({ type: 'text', text: event.text });
      break;
    case 'reasoning':
      if (last?.type !== 'reasoning') parts.push({ type: 'reasoning', text: event.text, proof: null });
      else parts[parts.length - 1] = { ...last, text: last.text + event.text };
      break;
    case 'reasoning_proof':
      if (last?.type !== 'reasoning') parts.push({ type: 'reasoning', text: '', proof: event.proof });
      else parts[parts.length - 1] = { ...last, proof: event.proof };
      break;
    case 'tool_call': {
      const { id, name, proof } = event;
      parts.push({ type: 'tool_call', id, name, arguments: '', proof });
      break;
    }
    case 'tool_arguments':
      if (last?.type === 'tool_call') parts[parts.length - 1] = { ...last, arguments: event.text };
      break;
    case 'image':
      parts.push({ type: 'image', mediaType: event.mediaType, base64: event.base64 });
      break;
    case 'finish':
      answer.finish = event.finish;
      break;
  }
}
