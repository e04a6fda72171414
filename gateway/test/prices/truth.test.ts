/**
 * The table of truth: what providers charge, worked out without the gateway, against what the gateway charges. Every file
 * in cases/ is a case. Each is sent in every format that can carry it, and its cost and lines have to be exact.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { changeConfig } from '../support/config.ts';
import { type Engine, engines, everythingOnBoth, quickEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { WORK_MS_MAX } from '../support/patience.ts';
import { standingClock } from '../support/standing-clock.ts';
import { readCases, type TruthCase, type TruthLine } from './truth-case.ts';
import { type Seen, TruthRun } from './truth-run.ts';

const all = readCases();
const untimed = all.filter(({ at }) => at === undefined);
/** By the time at which their calls start. */
const timed = Map.groupBy(
  all.filter(({ at }) => at !== undefined),
  ({ at }) => Date.parse(at as string),
);
const sheet = readFileSync(new URL('sheet.yaml', import.meta.url), 'utf8');
/** The prompts are short, whatever their answers count. Only the context of a model makes such counts believable. */
const config = changeConfig(sheet, {
  models: Object.fromEntries(
    Object.keys((parse(sheet) as { models: object }).models).map((code) => [
      code,
      { context_tokens: 1_000_000_000 },
    ]),
  ),
});

/** What the other engine stores and charges for a case is the same in every format, so there each is sent in one of them. */
function casesOn(engine: Engine, of: readonly TruthCase[]): readonly TruthCase[] {
  if (engine === quickEngine || everythingOnBoth) return of;
  return of.map((truth, i) => ({
    ...truth,
    formats: truth.formats.filter((_, at) => at === i % truth.formats.length),
    streamed: truth.streamed.filter((_, at) => at === i % truth.streamed.length),
  }));
}

test('the table has at least 300 cases, and each names its rules', () => {
  expect(all.length).toBeGreaterThanOrEqual(300);
  expect(all.filter(({ rules, says }) => rules.length === 0 || says === '')).toEqual([]);
});

test('the lines of every case add up to its cost', () => {
  for (const { name, cost, lines } of all) {
    if (cost === null) expect(lines, name).toEqual([]);
    else expect(printUnits(sumUnits(lines.map(({ amount }) => parseUnits(amount)))), name).toBe(cost);
  }
});

describe.each(engines)('the table of truth on %s', (engine) => {
  const cases = casesOn(engine, untimed);
  let gateway: TestGateway;
  let run: TruthRun;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    // Some cases ask for what has no price.
    await gateway.admin('spaces.unpriced', { space: 'acme', allowed: true });
    run = new TruthRun(gateway, cases);
    await run.runAll();
  }, WORK_MS_MAX);
  afterAll(() => gateway.stop());

  test.each(cases.map((truth) => [truth.name, truth] as const))('%s', (name, truth) => {
    const seen = run.seen.get(name) ?? [];
    expect(seen).toHaveLength(truth.formats.length * truth.streamed.length);
    const wrong = seen.flatMap((one) => differenceOf(truth, one));
    if (wrong.length > 0) expect.fail([`${truth.rules.join(' ')}: ${truth.says}`, ...wrong].join('\n'));
  });

  test('the usage report has the costs of all cases, by model and in sum', async () => {
    const { rows, total } = await gateway.admin('reports.usage', { by: 'model' });
    const calls = cases.flatMap((truth) => timesSent(truth));
    const sums = Map.groupBy(calls, ({ model }) => model);
    const found = rows.map(({ name, cost }) => [name, cost]);
    const wanted = [...sums].map(([model, sent]) => [model, sumOf(sent)]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
    expect(total).toMatchObject({
      cost: sumOf(calls),
      unpriced: calls.filter(({ cost, batch }) => cost === null && !batch).length,
    });
  });

  test('the journal has moved exactly that much, and the books agree', async () => {
    const [row] = await gateway.query<{ spent: string }>(
      sql`select trim_scale(sum(spent))::text as spent from journal where kind = 'charge'`,
    );
    expect(row?.spent).toBe(sumOf(cases.flatMap((truth) => timesSent(truth))));
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});

describe.each(engines)('the table of truth by the time of day on %s', (engine) => {
  const clock = standingClock();
  const groups = [...timed].map(([at, own]) => [at, casesOn(engine, own)] as const);
  const seen = new Map<string, ReadonlyArray<Seen | Error>>();
  let gateway: TestGateway;
  beforeAll(async () => {
    clock.set(Math.min(...timed.keys()));
    gateway = await startGateway({ engine, config, clock });
    for (const [at, own] of groups) {
      clock.set(at);
      const run = new TruthRun(gateway, own);
      await run.runAll();
      for (const [name, found] of run.seen) seen.set(name, found);
    }
  }, WORK_MS_MAX);
  afterAll(() => gateway.stop());

  test.each(groups.flatMap(([, own]) => own).map((truth) => [truth.name, truth] as const))(
    '%s',
    (name, truth) => {
      expect(seen.get(name)).toHaveLength(truth.formats.length * truth.streamed.length);
      expect(seen.get(name)?.flatMap((one) => differenceOf(truth, one))).toEqual([]);
    },
  );
});

/** A case for each of the calls that were made for it. */
function timesSent(truth: TruthCase): TruthCase[] {
  return truth.formats.flatMap(() => truth.streamed.map(() => truth));
}

function sumOf(sent: readonly TruthCase[]): string {
  return printUnits(sumUnits(sent.flatMap(({ cost }) => (cost === null ? [] : [parseUnits(cost)]))));
}

/** What is wrong with a call; empty if nothing is. */
function differenceOf(truth: TruthCase, seen: Seen | Error): string[] {
  if (seen instanceof Error) return [seen.message];
  const [wanted, found] = [expected(truth, seen), shown(seen)];
  if (found !== wanted) return [seen.how, `  expected ${wanted}`, `  received ${found}`];
  const [counted, used] = [countedTokens(seen), usedTokens(seen)];
  return counted === null || counted === used
    ? []
    : [`${seen.how}: ${counted} tokens in the lines, ${used} used`];
}

const NO_TOKENS = /^(?:tool\..*|request|image|second)$/;

/** The tokens in the lines of a receipt; null if there are none, because it is unpriced or not for tokens. */
function countedTokens({ receipt }: Seen): number | null {
  const lines = receipt?.lines.filter(({ component }) => !NO_TOKENS.test(component)) ?? [];
  return lines.length === 0 ? null : lines.reduce((sum, { count }) => sum + count, 0);
}

function usedTokens({ receipt }: Seen): number {
  return (receipt?.usage.input_tokens ?? 0) + (receipt?.usage.output_tokens ?? 0);
}

/** What has to be seen of a call, in the words of `shown`. */
function expected({ cost, lines, estimated, wire, status }: TruthCase, { receipt }: Seen): string {
  const text = wire !== 'images' && wire !== 'google-images' && wire !== 'video';
  // What is made without tokens has no usage that a provider could report.
  const counted = text ? 'provider' : (receipt?.usage_source ?? '');
  const usage_source = status !== undefined ? 'none' : estimated ? 'estimated' : counted;
  return shown({ cost, receipt: receipt && { cost, lines, usage_source } });
}

/** On one line, so that two of them are easy to compare. */
function shown({ cost, receipt }: { cost: string | null; receipt: Bill | null }): string {
  const bill =
    receipt && `${receipt.cost} (${receipt.usage_source}) ${receipt.lines.map(lineText).sort().join('; ')}`;
  return `${cost}, receipt ${bill}`;
}

interface Bill {
  readonly cost: string | null;
  readonly lines: readonly TruthLine[];
  readonly usage_source: string;
}

/** The order of lines is not part of a bill. */
function lineText({ component, count, price, amount }: TruthLine): string {
  return `${component} ${count} x ${price} = ${amount}`;
}
