/**
 * A provider's chat stream on its way to the caller. Frames are passed on unparsed unless they carry
 * an end, a usage or an error. The frame with the finish reason is held back until the cost is known
 * and durable: it and `[DONE]` are written by `ending`, so a stream never ends well without a charge.
 *
 * Frames are byte strings (one character per byte), which saves decoding what is only passed on.
 */
import { estimatedCost } from '../../../contract/cost.ts';
import type { Units } from '../../../kernel/units.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { readChatUsage } from './read-usage.ts';
import { decodeByteString, type ProducedJson, producedTexts } from './relay-response.ts';

/** The provider broke its protocol, or reported an error in the stream. */
export interface StreamFault {
  readonly reason: 'invalid_frame' | 'provider_error';
  /** The provider's error object, where it sent one. */
  readonly error: unknown;
}

interface ChunkJson {
  choices?: Array<{ delta?: ProducedJson; finish_reason?: string | null }>;
  usage?: unknown;
  error?: unknown;
  model?: unknown;
  estimated_cost?: unknown;
}

export interface ChatStreamOptions {
  /** The model code the caller knows. */
  readonly model: string;
  readonly includeUsage: boolean;
  /** How many answers were asked for: the stream is whole when each has its finish reason. */
  readonly answers: number;
}

/** Beyond this much text an estimate is taken from its length. */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Escaped quotes inside a JSON string cannot look like these. */
const NOTABLE = /"finish_reason"\s*:\s*"|"usage"\s*:\s*\{|"error"\s*:\s*[{"]/;
const NO_USAGE = ',"usage":null';
const MODEL = /"model"\s*:\s*"(?:[^"\\]|\\.)*"/;

export class ChatStreamRelay {
  readonly #options: ChatStreamOptions;
  readonly #modelShown: string;
  #modelSeen = '';
  #held: ChunkJson | null = null;
  #finishes = 0;
  #done = false;
  /** Frames that were passed on, kept only to count their tokens if the provider never does. */
  readonly #passed: string[] = [];
  #passedCharacters = 0;
  #usageJson: unknown = null;
  finishReason: string | null = null;
  fault: StreamFault | null = null;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
    this.#modelShown = `"model":${toBytes(JSON.stringify(options.model))}`;
  }

  /** What to send for one frame; empty when it is held back, dropped or faulty. */
  frame(frameData: string): string {
    if (this.#done || this.fault !== null) return '';
    // JSON has no line feed inside a string, so one between two lines of data is mere space.
    const data = frameData.includes('\n') ? frameData.replaceAll('\n', ' ') : frameData;
    if (data.charCodeAt(0) !== OPEN_BRACE || data.charCodeAt(data.length - 1) !== CLOSE_BRACE)
      return this.#bare(data);
    if (NOTABLE.test(data)) return this.#notable(data);
    this.#keep(data);
    return this.#held === null ? this.#pass(data) : this.#release() + this.#pass(data);
  }

  /** True when the provider said everything it had to say. */
  get complete(): boolean {
    return this.fault === null && this.#held !== null && this.#finishes >= this.#options.answers;
  }

  get usage(): Usage | null {
    return readChatUsage(this.#usageJson);
  }

  /** The texts that were produced so far, and whether they are all of them. */
  produced(): { texts: string[]; restCharacters: number } {
    let kept = 0;
    const texts = this.#passed.flatMap((data) => {
      kept += data.length;
      const chunk = parseChunk(data);
      return chunk?.choices?.flatMap((choice) => producedTexts(choice.delta)) ?? [];
    });
    return { texts, restCharacters: this.#passedCharacters - kept };
  }

  /** The last frames: the finish with its cost, and the end marker. */
  ending(cost: Units | null): string {
    const finish: ChunkJson = { ...this.#held, model: this.#options.model };
    delete finish.usage;
    if (this.#options.includeUsage) {
      finish.usage = this.#usageJson ?? null;
      if (cost !== null) finish.estimated_cost = estimatedCost(cost);
    }
    return `${frameOf(toBytes(JSON.stringify(finish)))}data: [DONE]\n\n`;
  }

  /** A frame that is not a JSON object: the end marker, or nonsense. */
  #bare(data: string): string {
    if (data.trim() === '[DONE]') this.#done = true;
    else this.fault = { reason: 'invalid_frame', error: null };
    return '';
  }

  #notable(data: string): string {
    const chunk = parseChunk(data);
    if (chunk === null) return this.#bare('');
    if (chunk.error !== undefined && chunk.error !== null) {
      this.fault = { reason: 'provider_error', error: chunk.error };
      return '';
    }
    if (typeof chunk.usage === 'object' && chunk.usage !== null) this.#usageJson = chunk.usage;
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    const finishes = choices.filter((choice) => typeof choice.finish_reason === 'string');
    if (finishes.length === 0) return choices.length === 0 ? '' : this.#passWithoutUsage(chunk);
    const released = this.#release();
    this.#finishes += finishes.length;
    this.finishReason ??= finishes[0]?.finish_reason ?? null;
    this.#held = chunk;
    this.#keep(data);
    return released;
  }

  /** Some servers repeat the usage in every frame; the caller gets it once, at the end. */
  #passWithoutUsage(chunk: ChunkJson): string {
    const { usage: _, ...rest } = chunk;
    const data = toBytes(JSON.stringify({ ...rest, model: this.#options.model }));
    this.#keep(data);
    return this.#release() + frameOf(data);
  }

  /** A held finish was not the last one (several answers): it goes out as it came. */
  #release(): string {
    if (this.#held === null) return '';
    const { usage: _, ...rest } = this.#held;
    this.#held = null;
    return frameOf(toBytes(JSON.stringify({ ...rest, model: this.#options.model })));
  }

  /** Both places are found in the frame as it came: a second search in a spliced text would copy it. */
  #pass(data: string): string {
    let model = this.#modelSeen === '' ? -1 : data.indexOf(this.#modelSeen);
    if (model < 0) {
      this.#modelSeen = MODEL.exec(data)?.[0] ?? '';
      model = this.#modelSeen === '' ? -1 : data.indexOf(this.#modelSeen);
    }
    const usage = this.#options.includeUsage ? -1 : data.lastIndexOf(NO_USAGE);
    if (usage >= 0 && usage < model)
      return this.#pass(data.slice(0, usage) + data.slice(usage + NO_USAGE.length));
    const modelEnd = model + this.#modelSeen.length;
    if (model < 0)
      return frameOf(usage < 0 ? data : data.slice(0, usage) + data.slice(usage + NO_USAGE.length));
    const front = `data: ${data.slice(0, model)}${this.#modelShown}`;
    if (usage < modelEnd) return `${front}${data.slice(modelEnd)}\n\n`;
    return `${front}${data.slice(modelEnd, usage)}${data.slice(usage + NO_USAGE.length)}\n\n`;
  }

  #keep(data: string): void {
    this.#passedCharacters += data.length;
    if (this.#passedCharacters <= KEPT_CHARACTERS_MAX) this.#passed.push(data);
  }
}

function parseChunk(data: string): ChunkJson | null {
  try {
    const json: unknown = JSON.parse(decodeByteString(data));
    return typeof json === 'object' && json !== null ? (json as ChunkJson) : null;
  } catch {
    return null;
  }
}

function frameOf(data: string): string {
  return `data: ${data}\n\n`;
}

function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
