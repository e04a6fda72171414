/** Writes a neutral answer as the frames of a streamGenerateContent response. */
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { withoutPart } from '../brain/tokens.ts';
import { cutEvery, cutInto } from '../pieces.ts';
import type { Frame } from '../script.ts';
import {
  type Envelope,
  finishOf,
  spokenText,
  wholeParts,
  writeCandidate,
  writeReply,
} from './write-generated.ts';

const CHARACTERS_PER_CHUNK = 12;

interface Step {
  readonly kind: 'content' | 'finish';
  readonly index: number;
  readonly parts: readonly object[];
}

export function writeFrames(
  answer: Answer,
  envelope: Envelope,
  options: { usage: Usage | null; chunks: number | null; named: boolean; pictured: boolean },
): Frame[] {
  const steps = takeTurns(
    answer.choices.map((choice, index) => stepsOf(choice, index, answer.usage, options)),
  );
  return steps.map(({ kind, index, parts }, place) => {
    const finish = kind === 'finish' ? finishOf(answer.choices[index] as Choice, options) : {};
    const candidates = [{ ...writeCandidate(parts, index), ...finish }];
    const usage = options.usage && soFar(options.usage, (place + 1) / steps.length);
    return { kind, text: writeFrame(writeReply({ candidates }, envelope, usage)) };
  });
}

export function writeContent(text: string, envelope: Envelope): string {
  return writeFrame(writeReply({ candidates: [writeCandidate([{ text }], 0)] }, envelope, null));
}

/** Google ends its lines with CRLF. */
export function writeFrame(reply: object): string {
  return `data: ${JSON.stringify(reply)}\r\n\r\n`;
}

/** The finish comes with the last piece of text; where there is but one, or none, it comes alone. */
function stepsOf(
  choice: Choice,
  index: number,
  usage: Usage,
  options: { chunks: number | null; named: boolean },
): Step[] {
  const text = spokenText(choice);
  const pieces =
    options.chunks === null || text === ''
      ? cutEvery(text, CHARACTERS_PER_CHUNK)
      : cutInto(text, options.chunks);
  const whole = wholeParts(choice, usage, options.named);
  const joined = whole.length === 0 && pieces.length > 1;
  const last = joined ? pieces.pop() : '';
  const contents = [
    ...cutEvery(choice.reasoning, CHARACTERS_PER_CHUNK).map((piece) => ({ text: piece, thought: true })),
    ...pieces.map((piece) => ({ text: piece })),
    ...whole,
  ];
  return [
    ...contents.map((part): Step => ({ kind: 'content', index, parts: [part] })),
    { kind: 'finish', index, parts: [{ text: last }] },
  ];
}

/** Several candidates grow side by side. */
function takeTurns(rows: readonly Step[][]): Step[] {
  const longest = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: longest }, (_, turn) => rows.flatMap((row) => row[turn] ?? [])).flat();
}

/** The thoughts are known from the start, the rest grows. */
function soFar(usage: Usage, share: number): Usage {
  if (share === 1) return usage;
  const spoken = Math.floor(withoutPart(usage.outputTokens, usage.reasoningTokens) * share);
  return { ...usage, outputTokens: Math.max(0, usage.reasoningTokens) + spoken };
}
