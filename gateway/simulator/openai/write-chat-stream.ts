/** Writes a neutral answer as the frames of a chat-completions stream. */
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { cutEvery, cutInto } from '../pieces.ts';
import type { Frame } from '../script.ts';
import {
  type Envelope,
  FINGERPRINT,
  hasContent,
  newToolCallId,
  writeImage,
  writeUsage,
} from './write-chat.ts';

/** One frame for each token of plain text. */
const CHARACTERS_PER_CHUNK = 4;
const CHARACTERS_PER_FRAGMENT = 8;

export interface StreamShape {
  readonly includeUsage: boolean;
  /** Just so many content frames, some of them empty if the text is shorter. */
  readonly chunks: number | null;
}

export class ChatStreamWriter {
  readonly #head: string;
  readonly #tail: string;
  readonly #shape: StreamShape;

  /** The same words stand around every delta, so they are written once. */
  constructor(envelope: Envelope, shape: StreamShape) {
    const { id, createdSeconds, model } = envelope;
    this.#head =
      `data: {"id":"${id}","object":"chat.completion.chunk","created":${createdSeconds},` +
      `"model":${JSON.stringify(model)},"service_tier":"default","system_fingerprint":"${FINGERPRINT}","choices":[`;
    this.#tail = shape.includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
    this.#shape = shape;
  }

  writeFrames(answer: Answer, usage: Usage | null): Frame[] {
    const frames: Frame[] = [];
    answer.choices.forEach((choice, index) => {
      const content = hasContent(choice) ? '""' : 'null';
      frames.push({
        kind: 'start',
        text: this.#chunk(index, `{"role":"assistant","content":${content},"refusal":null}`),
      });
    });
    this.#takeTurns(answer.choices, frames);
    if (this.#shape.includeUsage && usage !== null) {
      frames.push({
        kind: 'usage',
        text: `${this.#head}],"usage":${writeUsage(usage)}}\n\n`,
      });
    }
    frames.push({ kind: 'done', text: 'data: [DONE]\n\n' });
    return frames;
  }

  contentFrame(text: string): string {
    return this.#chunk(0, `{"content":${JSON.stringify(text)}}`);
  }

  /** Several answers grow side by side, as they do at OpenAI. */
  #takeTurns(choices: readonly Choice[], frames: Frame[]): void {
    const rows = choices.map((choice) => writeDeltas(choice, this.#shape.chunks));
    const longest = Math.max(...rows.map((row) => row.length));
    for (let turn = 0; turn <= longest; turn++) {
      rows.forEach((row, index) => {
        const delta = row[turn];
        if (delta !== undefined) frames.push({ kind: 'content', text: this.#chunk(index, delta) });
        else if (turn === row.length) {
          frames.push({ kind: 'finish', text: this.#chunk(index, '{}', (choices[index] as Choice).finish) });
        }
      });
    }
  }

  #chunk(index: number, delta: string, finish?: string): string {
    const reason = finish === undefined ? 'null' : `"${finish}"`;
    return `${this.#head}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${reason}}${this.#tail}`;
  }
}

function writeDeltas(choice: Choice, chunks: number | null): string[] {
  const pieces =
    chunks === null || !hasContent(choice)
      ? cutEvery(choice.text, CHARACTERS_PER_CHUNK)
      : cutInto(choice.text, chunks);
  const deltas = cutEvery(choice.reasoning, CHARACTERS_PER_CHUNK).map(
    (piece) => `{"reasoning_content":${JSON.stringify(piece)}}`,
  );
  for (const piece of pieces) deltas.push(`{"content":${JSON.stringify(piece)}}`);
  for (const piece of cutEvery(choice.refusal ?? '', CHARACTERS_PER_CHUNK)) {
    deltas.push(`{"refusal":${JSON.stringify(piece)}}`);
  }
  choice.toolCalls.forEach((call, index) => {
    const { name, isText } = call;
    const opening = {
      index,
      id: newToolCallId(),
      ...(isText
        ? { type: 'custom', custom: { name, input: '' } }
        : { type: 'function', function: { name, arguments: '' } }),
    };
    deltas.push(`{"tool_calls":[${JSON.stringify(opening)}]}`);
    const length = call.arguments.length;
    for (const piece of cutInto(call.arguments, Math.max(2, Math.ceil(length / CHARACTERS_PER_FRAGMENT)))) {
      const part = isText ? { custom: { input: piece } } : { function: { arguments: piece } };
      deltas.push(`{"tool_calls":[${JSON.stringify({ index, ...part })}]}`);
    }
  });
  if (choice.images.length > 0) deltas.push(JSON.stringify({ images: choice.images.map(writeImage) }));
  return deltas;
}
