/**
 * Relays a chat stream to the caller. Frames are passed on unparsed unless they have a finish reason, usage
 * or an error. The frame with the finish reason is held back until the cost is durable: `ending` writes it
 * and `[DONE]`, so a stream never succeeds without a charge.
 *
 * Frames are byte strings (one character per byte), which saves decoding what is only passed on.
 */

import { estimatedCost } from '../../../contract/cost.ts';
import type { Json } from '../../../json/read-json.ts';
import { decodeByteString, toByteString } from '../../../kernel/byte-string.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';
import { objectData, RelayedFrames } from '../../relayed-frames.ts';
import type { StreamFault } from '../../text-event.ts';
import type { AnswerEnd, AnswerStream } from '../../text-format.ts';
import { citesSources, offersHostedTool, seenChatDetails } from './hosted-tools.ts';
import { readChatUsage } from './read-usage.ts';
import { objectsOf, type ProducedJson, producedTexts } from './relay-response.ts';
import { writeChatFailure } from './write-stream.ts';
import { writeChatUsage } from './write-usage.ts';

interface ChunkJson {
  choices?: Array<{ delta?: ProducedJson; finish_reason?: string | null }>;
  usage?: unknown;
  service_tier?: unknown;
  error?: unknown;
  model?: unknown;
  estimated_cost?: unknown;
}

export interface ChatStreamOptions {
  /** The model code the caller knows. */
  readonly model: string;
  readonly includeUsage: boolean;
  /** The number of requested answers; the stream is complete when each has a finish reason. */
  readonly answers: number;
  readonly request: object;
}

/** These cannot match inside a JSON string, where quotes are escaped. */
const NOTABLE = /"finish_reason"\s*:\s*"|"usage"\s*:\s*\{|"error"\s*:\s*[{["]/;
const CITED = /"(?:annotations|citations|search_results)"\s*:\s*\[\s*[^\]\s]/;
const NO_USAGE = ',"usage":null';
const NO_CHOICES = /"choices"\s*:\s*\[\s*\]/;
const NO_FRAME = { chunk: {} as ChunkJson, data: '{}' };
const MODEL = /"model"\s*:\s*"(?:[^"\\]|\\.)*"/;

export class ChatStreamRelay implements AnswerStream {
  readonly #options: ChatStreamOptions;
  readonly #modelShown: string;
  #modelSeen = '';
  #held: { readonly chunk: ChunkJson; readonly data: string } | null = null;
  #finishes = 0;
  #done = false;
  readonly #passed = new RelayedFrames();
  #usageJson: unknown = null;
  #tier: unknown = null;
  finishReason: string | null = null;
  fault: StreamFault | null = null;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
    this.#modelShown = `"model":${toByteString(JSON.stringify(options.model))}`;
  }

  /** What to send for a frame; empty when it is held back, dropped or invalid. */
  frame(frameData: string): string {
    if (this.#done || this.fault !== null) return '';
    const data = objectData(frameData);
    if (data === null) return this.#bare(frameData);
    if (NOTABLE.test(data)) return this.#notable(data);
    // Some servers start with the content filter results of the prompt, in a frame that is not a chunk.
    if (this.#passed.empty && NO_CHOICES.test(data)) return '';
    // Every answer has its finish reason, so later frames are not part of an answer.
    if (this.complete) return '';
    this.#passed.add(data);
    return this.#held === null ? this.#pass(data) : this.#release() + this.#pass(data);
  }

  /** True when the answer is complete. */
  get complete(): boolean {
    return this.fault === null && this.#held !== null && this.#finishes >= this.#options.answers;
  }

  get usage(): Usage | null {
    return readChatUsage(this.#usageJson, this.#tier);
  }

  get seenDetails(): UsageDetails | undefined {
    const hosted = offersHostedTool(this.#options.request) || this.#passed.some(citesSourcesIn);
    return seenChatDetails({ usage: this.#usageJson, tier: this.#tier, hosted });
  }

  produced(): { texts: string[]; restCharacters: number } {
    return this.#passed.produced((data) =>
      objectsOf(parseChunk(data)?.choices).flatMap((choice) => producedTexts(choice.delta)),
    );
  }

  /** The last frames: the finish reason with the cost, and the end marker. */
  ending(end: AnswerEnd): string {
    const suffix = this.#options.includeUsage ? this.#usageAndCost(end) : '';
    return `${this.#finish(suffix)}data: [DONE]\n\n`;
  }

  /** The held frame with usage and cost: spliced in, or rewritten if the frame already has usage. */
  #finish(suffix: string): string {
    const { chunk, data } = this.#held ?? NO_FRAME;
    if (chunk.estimated_cost === undefined && (chunk.usage === undefined || data.includes(NO_USAGE))) {
      return `${this.#pass(data, true).slice(0, -3)}${suffix}}\n\n`;
    }
    const { usage: _, estimated_cost: __, ...rest } = chunk;
    const shown = toByteString(JSON.stringify({ ...rest, model: this.#options.model }));
    return frameOf(`${shown.slice(0, -1)}${suffix}}`);
  }

  #usageAndCost({ usage, cost }: AnswerEnd): string {
    const used = this.#usageJson ?? (usage === null ? null : writeChatUsage(usage));
    const price = cost === null ? '' : `,"estimated_cost":${JSON.stringify(estimatedCost(cost))}`;
    return `,"usage":${toByteString(JSON.stringify(used))}${price}`;
  }

  failure(problem: Problem, errorRef: string): string {
    return toByteString(writeChatFailure(problem, errorRef));
  }

  /** A frame that is not a JSON object: the end marker, or invalid. */
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
    this.#tier = chunk.service_tier ?? this.#tier;
    const choices = objectsOf(chunk.choices);
    const finishes = choices.filter((choice) => typeof choice.finish_reason === 'string');
    if (finishes.length === 0) {
      return choices.length === 0 || this.complete ? '' : this.#passWithoutUsage(chunk);
    }
    if (this.complete) return '';
    const released = this.#release();
    this.#finishes += finishes.length;
    this.finishReason ??= finishes[0]?.finish_reason ?? null;
    this.#held = { chunk, data };
    this.#passed.add(data);
    return released;
  }

  /** Some servers send the usage in every frame; the caller gets it once, at the end. */
  #passWithoutUsage(chunk: ChunkJson): string {
    const { usage: _, ...rest } = chunk;
    const data = toByteString(JSON.stringify({ ...rest, model: this.#options.model }));
    this.#passed.add(data);
    return this.#release() + frameOf(data);
  }

  /** The held finish was not the last one (several answers), so it is sent unchanged. */
  #release(): string {
    if (this.#held === null) return '';
    const finish = this.#finish('');
    this.#held = null;
    return finish;
  }

  /** Both positions are searched in the original frame: a search in a spliced string would copy it. */
  #pass(data: string, withoutUsage = !this.#options.includeUsage): string {
    let model = this.#modelSeen === '' ? -1 : data.indexOf(this.#modelSeen);
    if (model < 0) {
      this.#modelSeen = MODEL.exec(data)?.[0] ?? '';
      model = this.#modelSeen === '' ? -1 : data.indexOf(this.#modelSeen);
    }
    const usage = withoutUsage ? data.lastIndexOf(NO_USAGE) : -1;
    if (usage >= 0 && usage < model)
      return this.#pass(data.slice(0, usage) + data.slice(usage + NO_USAGE.length), withoutUsage);
    const modelEnd = model + this.#modelSeen.length;
    if (model < 0)
      return frameOf(usage < 0 ? data : data.slice(0, usage) + data.slice(usage + NO_USAGE.length));
    const front = `data: ${data.slice(0, model)}${this.#modelShown}`;
    if (usage < modelEnd) return `${front}${data.slice(modelEnd)}\n\n`;
    return `${front}${data.slice(modelEnd, usage)}${data.slice(usage + NO_USAGE.length)}\n\n`;
  }
}

/** Most frames have no such word, and are not parsed. */
function citesSourcesIn(data: string): boolean {
  if (!CITED.test(data)) return false;
  const chunk = parseChunk(data) ?? {};
  const parts = [chunk, ...objectsOf(chunk.choices).map(({ delta }) => delta ?? {})];
  return parts.some((part) => citesSources(part as Json));
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
