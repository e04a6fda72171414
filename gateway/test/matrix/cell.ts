/** One cell of the matrix: a feature, asked in a format, of a dialect, whole or streamed. */
import { expect } from 'vitest';
import type { Dialect } from '../../src/catalog/dialects/dialects.ts';
import { sql } from '../../src/database/sql.ts';
import { problemCodes } from '../../src/kernel/problem-codes.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import type { TestGateway } from '../support/gateway.ts';
import { ask, type Format, type Question } from './ask.ts';
import {
  costOf,
  type DeclaredRefusal,
  type DialectCase,
  type ModelKind,
  modelCode,
  wireOf,
} from './dialects.ts';
import type { Reply } from './neutral-reply.ts';
import { rawFinish } from './raw-finish.ts';
import { isRefusal, readReply } from './reply.ts';
import { readSent, type Sent } from './sent.ts';

export interface Cell {
  readonly format: Format;
  readonly dialect: DialectCase;
  readonly streamed: boolean;
  readonly feature: Feature;
}

/** How an answer ends, in as many kinds as any provider has. */
export type Ending = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'refusal';

export interface Feature {
  /** The formats that have words for it; without, all have. */
  readonly formats?: readonly Format[];
  /** Where only one of the two makes sense. */
  readonly streamed?: boolean;
  /** The dialects whose providers do such a thing; without, all do. */
  readonly dialects?: readonly Dialect[];
  readonly model?: ModelKind;
  ask(cell: Cell): Question;
  /** `stop` unless it says otherwise. */
  readonly ending?: Ending;
  /** What must be in the reply, and in the request that the provider got. */
  check(seen: Seen): void;
  /** Goes on with the first reply, asking the same model. */
  next?(seen: Seen): NextStep;
}

export type NextStep = Pick<Feature, 'ask' | 'check'>;

export interface Seen {
  readonly cell: Cell;
  readonly reply: Reply;
  readonly sent: Sent;
  /** The tokens that the record says were written to a cache; no format but messages shows them. */
  readonly written: number;
}

/** Asks, and holds the reply, the request to the provider and the record against each other. */
export async function runCell(gateway: TestGateway, cell: Cell): Promise<void> {
  const { feature, format, dialect, streamed } = cell;
  const question = questionOf(cell);
  const { response, calls } = await send(gateway, cell, question);
  const model = modelCode(dialect, feature.model);
  const reply = await readReply(response, {
    ...{ format, model, streamed, hidesUsage: question.hidesUsage === true },
  });
  if (isRefusal(reply)) return expect.fail(`${reply.code}, ${reply.param}: ${reply.detail}`);
  const [call, ...more] = calls;
  if (call === undefined) return expect.fail('the provider was not asked');
  expect(more, 'the provider was asked once').toEqual([]);
  const sent = readSent(call);
  expect(sent).toMatchObject({ wire: wireOf(dialect, format, question), streamed });
  const row = await recordOf(gateway, reply);
  const seen: Seen = { cell, reply, sent, written: Number(row.cache_write_tokens) };
  feature.check(seen);
  checkRecord(row, seen);
  const step = feature.next?.(seen);
  if (step === undefined) return;
  const { model: kind = 'usual' } = feature;
  await runCell(gateway, { ...cell, feature: { ...step, model: kind } });
}

/** Callers ask a model to think in the form that it has. */
function questionOf(cell: Cell): Question {
  const question = cell.feature.ask(cell);
  return cell.dialect.strict?.adaptive ? { ...question, adaptive: true } : question;
}

/** The caller learns which of its fields it was, and pays nothing. */
export async function runRefusal(gateway: TestGateway, cell: Cell, declared: DeclaredRefusal): Promise<void> {
  const { feature, format, dialect, streamed } = cell;
  const { response, calls } = await send(gateway, cell, questionOf(cell));
  const model = modelCode(dialect, feature.model);
  const reply = await readReply(response, { format, model, streamed, hidesUsage: false });
  const { by, code, param } = declared;
  if (!isRefusal(reply)) return expect.fail(`it works: ${reply.text}`);
  expect(reply).toMatchObject({ status: problemCodes[code].status, code, param });
  if (code === 'invalid_parameter')
    expect(reply.detail, 'the detail names the field').toContain(namedIn(cell, param));
  expect(calls, 'only what the provider itself refuses was sent').toHaveLength(by === 'provider' ? 1 : 0);
  const rows = await gateway.query(
    sql`select id from calls where id = ${reply.requestId} and (cost is not null or outcome <> 'failed')`,
  );
  expect(rows, 'nothing is charged').toEqual([]);
}

/** Messages are refused in the form of their provider: `tools.0.custom.name`. */
function namedIn({ format }: Cell, param: string | null): string {
  const name = param ?? '';
  return format === 'messages' ? name.replaceAll(/\[(\d+)\]/g, '.$1') : name;
}

async function send(
  gateway: TestGateway,
  { format, dialect, streamed, feature }: Cell,
  question: Question,
): Promise<{ response: Response; calls: TestGateway['simulator']['calls'] }> {
  const before = gateway.simulator.calls.length;
  const { path, headers, body } = ask(format, modelCode(dialect, feature.model), question, streamed);
  const response = await gateway.post(path, body, headers);
  return { response, calls: gateway.simulator.calls.slice(before) };
}

interface CallRow {
  readonly cost: string;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
}

async function recordOf(gateway: TestGateway, { requestId }: Reply): Promise<CallRow> {
  const [row] = await gateway.query<CallRow>(sql`select * from calls where id = ${requestId}`);
  return row ?? expect.fail('there is no record of the call');
}

/** The record has the numbers that were shown, and the word that the provider ended with. */
function checkRecord(row: CallRow, { cell, reply, sent, written }: Seen): void {
  const { format, dialect, streamed, feature } = cell;
  expect(row).toMatchObject({
    ...{ endpoint: format, provider: dialect.name, model: modelCode(dialect, feature.model), streamed },
    ...{ outcome: 'completed', problem: null, usage_source: 'provider', attempts: 1 },
    finish_reason: rawFinish(sent.wire, feature.ending ?? 'stop'),
  });
  const input = Number(row.input_tokens);
  const cached = Number(row.cached_input_tokens);
  const output = Number(row.output_tokens);
  const cost = costOf({ input: input - cached - written, cached, written, output });
  expect(row.cost && printUnits(parseUnits(row.cost)), 'the charge is the sum of its parts').toBe(cost);
  if (reply.usage === null) return;
  expect(reply.cost, 'the cost shown is the cost charged').toBe(cost);
  const reasoning = reply.usage.reasoning === null ? null : Number(row.reasoning_tokens);
  expect({ input, cached, output, reasoning }, 'so is the usage').toEqual(reply.usage);
}
