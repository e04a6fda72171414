/** Translates an answer from a provider's dialect to the caller's format. */
import { decodeByteString, toByteString } from '../kernel/byte-string.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Usage, UsageDetails } from '../pricing/usage.ts';
import type { OnTextEvent, StreamFault, TextEvent, TextStreamReader } from './text-event.ts';
import type {
  AnswerContext,
  AnswerEnd,
  AnswerHead,
  AnswerStream,
  TextFormat,
  TextStreamWriter,
  WholeAnswer,
} from './text-format.ts';
import { resultTexts, type TextResult } from './text-result.ts';

/** Above this length tokens are estimated and not counted. */
const KEPT_CHARACTERS_MAX = 1024 * 1024;

export function translateAnswer<Request>(
  result: TextResult,
  format: TextFormat<Request>,
  context: AnswerContext<Request>,
): WholeAnswer {
  return {
    usage: result.usage,
    seenDetails: () => result.seenDetails,
    finishReason: result.answers[0]?.finish.raw ?? null,
    texts: () => resultTexts(result),
    body: (end) => toByteString(format.writeAnswer(result, context, end)),
    ...(format.outputItems && { output: () => format.outputItems?.(result, context) ?? [] }),
    ...(format.answerHead && { head: (usage) => format.answerHead?.(result, context, usage) ?? {} }),
  };
}

export class TranslatedStream implements AnswerStream {
  readonly #reader: TextStreamReader;
  readonly #writer: TextStreamWriter;
  readonly #texts: string[] = [];
  #textCharacters = 0;
  #keptCharacters = 0;
  #out = '';
  finishReason: string | null = null;

  constructor(read: (emit: OnTextEvent) => TextStreamReader, writer: TextStreamWriter) {
    this.#writer = writer;
    this.#reader = read((event) => this.#take(event));
  }

  frame(data: string, event: string): string {
    this.#out = '';
    this.#reader.frame(decodeByteString(data), event);
    return this.#out === '' ? '' : toByteString(this.#out);
  }

  get complete(): boolean {
    return this.#reader.complete;
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get usageSoFar(): Usage | null {
    return this.#reader.usageSoFar ?? null;
  }

  get seenDetails(): UsageDetails | undefined {
    return this.#reader.seenDetails;
  }

  get fault(): StreamFault | null {
    return this.#reader.fault;
  }

  produced(): { texts: string[]; restCharacters: number } {
    return { texts: this.#texts, restCharacters: this.#textCharacters - this.#keptCharacters };
  }

  ending(end: AnswerEnd): string {
    return toByteString(this.#writer.ending(end));
  }

  keepAlive(): string {
    return this.#writer.keepAlive?.() ?? '';
  }

  failure(problem: Problem, errorRef: string): string {
    return toByteString(this.#writer.failure(problem, errorRef));
  }

  output(): readonly unknown[] {
    return this.#writer.output?.() ?? [];
  }

  head(usage: Usage): AnswerHead {
    return this.#writer.head?.(usage) ?? {};
  }

  #take(event: TextEvent): void {
    if (event.type === 'finish') this.finishReason ??= event.finish.raw;
    else if ('text' in event) this.#keep(event.text);
    else if (event.type === 'tool_call') this.#keep(event.name);
    this.#out += this.#writer.event(event);
  }

  #keep(text: string): void {
    this.#textCharacters += text.length;
    if (this.#textCharacters > KEPT_CHARACTERS_MAX) return;
    this.#keptCharacters += text.length;
    this.#texts.push(text);
  }
}
