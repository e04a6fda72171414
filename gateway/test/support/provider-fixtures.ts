/**
 * Reads the transcripts of a provider folder through its translators and says in short what came out. A file named
 * `error-<status>-….json` is the body of an error answer, any other `.json` a whole answer, the rest are streams.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SseFramer } from '../../src/kernel/framing.ts';
import type { Usage } from '../../src/pricing/usage.ts';
import type { TextProvider } from '../../src/providers/provider.ts';
import type { OutputPart } from '../../src/text/text-call.ts';
import type { TextEvent } from '../../src/text/text-event.ts';
import type { Finish } from '../../src/text/text-result.ts';

export type Translators = Pick<TextProvider, 'readAnswer' | 'readStream' | 'problem' | 'framing'>;

/** Of one answer; what is empty is left out. */
export interface ReadAnswer {
  readonly text?: string;
  readonly refusal?: string;
  readonly reasoning?: string;
  /** `dialect value` of each proof, in order. */
  readonly proofs?: readonly string[];
  /** `id name(arguments)` */
  readonly calls?: readonly string[];
  readonly images?: readonly string[];
  /** The neutral reason and the provider's own, such as `length max_tokens`; the stop sequence where it is known. */
  readonly finish?: string;
}

/** Token counts; zeros are left out. */
export interface ReadUsage {
  readonly input?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output?: number;
  readonly reasoning?: number;
}

/** What is read from a transcript. */
export type FixtureReading =
  | { readonly answers: readonly ReadAnswer[]; readonly usage: ReadUsage | null }
  /** A stream that broke: what was read before, and the Problem of its end. */
  | { readonly answers: readonly ReadAnswer[]; readonly problem: string }
  | { readonly problem: string; readonly param?: string; readonly retryAfterMs?: number }
  | 'not an answer';

/** One test for every transcript in the folder, and one that none is without. */
export function testFixtures(
  folder: URL,
  translators: Translators,
  readings: Readonly<Record<string, FixtureReading>>,
): void {
  test('every transcript is read by a test', () => {
    expect(Object.keys(readings).sort()).toEqual(readdirSync(folder).sort());
  });

  test.each(Object.entries(readings))('the transcript %s is read exactly', (name, reading) => {
    expect(readFixture(name, readFileSync(new URL(name, folder)), translators)).toEqual(reading);
  });
}

function readFixture(name: string, bytes: Buffer, translators: Translators): FixtureReading {
  const status = /^error-(\d{3})\b.*\.json$/.exec(name)?.[1];
  if (status !== undefined) return readError(Number(status), bytes, translators);
  return name.endsWith('.json') ? readWhole(bytes, translators) : readStream(bytes, translators);
}

function readError(status: number, body: Buffer, { problem }: Translators): FixtureReading {
  const { code, param, retryAfterMs } = problem(status, body);
  return {
    problem: code,
    ...(param !== null && { param }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  };
}

const READING = { callId: 'req_AbC', mayCallTools: true };

function readWhole(body: Buffer, { readAnswer }: Translators): FixtureReading {
  const result = readAnswer(body, READING);
  if (result === null) return 'not an answer';
  const answers = result.answers.map(({ parts, finish }) => showAnswer(parts, finish));
  return { answers, usage: showUsage(result.usage) };
}

function readStream(bytes: Buffer, translators: Translators): FixtureReading {
  const events: TextEvent[] = [];
  const reader = translators.readStream(READING, (event) => events.push(event));
  const onFrame = (data: string, event: string): void =>
    reader.frame(Buffer.from(data, 'latin1').toString('utf8'), event);
  if (translators.framing === undefined) {
    new SseFramer({ charactersMax: 1e6, onFrame }).push(bytes.toString('latin1'));
  } else translators.framing(onFrame, 1e6).push(bytes);
  const numbers = [...new Set(events.map(({ answer }) => answer))].sort((a, b) => a - b);
  const answers = numbers.map((number) => gatherAnswer(events.filter(({ answer }) => answer === number)));
  if (reader.fault === null) {
    expect(reader.complete).toBe(true);
    return { answers, usage: showUsage(reader.usage) };
  }
  const error = Buffer.from(JSON.stringify({ error: reader.fault.error }));
  return { answers, problem: translators.problem(500, error).code };
}

/** The parts of a streamed answer, pieces of one kind joined. */
function gatherAnswer(events: readonly TextEvent[]): ReadAnswer {
  const parts: OutputPart[] = [];
  const calls = new Map<number, { id: string; name: string; text: string }>();
  let finish: Finish | null = null;
  for (const event of events) {
    if (event.type === 'finish') finish = event.finish;
    else if (event.type === 'reasoning_proof')
      parts.push({ type: 'reasoning', text: '', proof: event.proof });
    else if (event.type === 'reasoning') parts.push({ type: 'reasoning', text: event.text, proof: null });
    else if (event.type === 'tool_call') calls.set(event.call, { id: event.id, name: event.name, text: '' });
    else if (event.type === 'tool_arguments') {
      const call = calls.get(event.call);
      if (call !== undefined) call.text += event.text;
    } else if (event.type === 'image') {
      parts.push({ type: 'image', mediaType: event.mediaType, base64: event.base64 });
    } else parts.push({ type: event.type, text: event.text });
  }
  for (const { id, name, text } of calls.values()) {
    parts.push({ type: 'tool_call', id, name, arguments: text, proof: null });
  }
  return showAnswer(parts, finish);
}

function showAnswer(parts: readonly OutputPart[], finish: Finish | null): ReadAnswer {
  const textOf = (type: 'text' | 'refusal' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  const shown = {
    text: textOf('text'),
    refusal: textOf('refusal'),
    reasoning: textOf('reasoning'),
    proofs: parts.flatMap((part) =>
      part.type === 'reasoning' && part.proof !== null ? [`${part.proof.dialect} ${part.proof.value}`] : [],
    ),
    calls: parts.flatMap((part) =>
      part.type === 'tool_call' ? [`${part.id} ${part.name}(${part.arguments})`] : [],
    ),
    images: parts.flatMap((part) => (part.type === 'image' ? [`${part.mediaType} ${part.base64}`] : [])),
    finish: finish === null ? '' : [finish.reason, finish.raw, finish.stopSequence ?? ''].join(' ').trim(),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value.length > 0));
}

function showUsage(usage: Usage | null): ReadUsage | null {
  if (usage === null) return null;
  const shown = {
    input: usage.inputTokens,
    cached: usage.cachedInputTokens,
    written: usage.cacheWriteTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== 0));
}
