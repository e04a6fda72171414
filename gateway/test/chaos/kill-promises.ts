/**
 * What must hold under kill -9: the real program, a real database, a provider over real HTTP, fifty clients,
 * and SIGKILL at random moments. TOLLGATE_CHAOS_ROUNDS sets how many kills there are on each engine,
 * TOLLGATE_CHAOS_CALLS how many calls they are spread over on PostgreSQL, with two processes.
 */
import { beforeAll, expect, test } from 'vitest';
import type { Engine } from '../support/engines.ts';
import { WORK_MS_MAX } from '../support/patience.ts';
import { repeatedAsks, repeatedIds, unseenRows, wrongCharges } from './audit.ts';
import { type CallNote, callKinds } from './client.ts';
import { imbalances, totalCost } from './ledger.ts';
import { wrongReports } from './reports.ts';
import { type ChaosRun, runChaos } from './run-chaos.ts';

const ROUNDS_DEFAULT = 2;
const ROUNDS_DEFAULT_JOURNAL = 1;
const rounds = Number(process.env.TOLLGATE_CHAOS_ROUNDS ?? ROUNDS_DEFAULT);
const journalRounds = Number(process.env.TOLLGATE_CHAOS_ROUNDS ?? ROUNDS_DEFAULT_JOURNAL);
const calls = Number(process.env.TOLLGATE_CHAOS_CALLS ?? 0);
const timeoutMs = WORK_MS_MAX + rounds * 30_000 + calls * 60;

/** Kills gateways under load, and asks of what is left that every promise was kept. */
export function describeKills(engine: Engine, { journal = false } = {}): void {
  const name = journal ? `${engine} with a journal` : engine;
  let run: ChaosRun;

  beforeAll(async () => {
    const callsMin = engine === 'postgres' ? calls : 0;
    run = await runChaos({ engine, rounds: journal ? journalRounds : rounds, journal, callsMin });
    process.stderr.write(`${reportOf(name, run)}\n`);
  }, timeoutMs);

  test('a reply received in full is charged exactly once, at the cost it showed', () => {
    expect(wrongCharges(run)).toEqual([]);
  });

  test('no request id stands for two calls', () => {
    expect(repeatedIds(run)).toEqual([]);
  });

  test('charges, totals of the month, and units taken are equal to the last decimal in every space', () => {
    expect(imbalances(run.ledger)).toEqual([]);
  });

  test('the usage and the balance that a gateway tells agree with the rows of calls and with the journal', () => {
    expect(run.reports.map(({ space }) => space)).toEqual(['rich', 'poor', 'guest']);
    expect(wrongReports(run)).toEqual([]);
  });

  test('balances, charges and totals all follow from the journal', () => {
    expect(run.verdict.disagreements).toEqual([]);
  });

  test('a call is asked of the provider at most once, however its gateway ended', () => {
    expect(repeatedAsks(run)).toEqual([]);
  });

  test('a gateway that is up refuses a call only while it cannot record any, and stops in good order', () => {
    const refusals = run.clients.flatMap((note) => note.refusal ?? []);
    expect(refusals.filter((text) => !text.includes('"service_unavailable"'))).toEqual([]);
    expect(run.exitCodes.every((code) => code === 0)).toBe(true);
  });

  test('the run was rough: every kind of call came through, kills cut calls, units ran out', () => {
    const full = new Set(run.clients.filter((note) => note.end === 'full').map((note) => note.kind));
    expect([...full]).toEqual(expect.arrayContaining(callKinds.filter((kind) => kind !== 'leaver')));
    expect(run.clients.filter((note) => note.end === 'left').length).toBeGreaterThan(0);
    expect(run.clients.filter((note) => note.end === 'cut').length).toBeGreaterThan(0);
    expect(run.ledger.accounts.filter((account) => Number(account.overage) > 0).length).toBe(2);
  });
}

function reportOf(name: string, run: ChaosRun): string {
  const ended = (end: CallNote['end']): number => run.clients.filter((note) => note.end === end).length;
  return (
    `kill -9 on ${name}: ${run.kills} kills, ${run.clients.length} calls: ${ended('full')} received in full, ` +
    `${ended('cut')} cut or refused, ${ended('left')} left; the provider was asked ${run.provider.length} times; ` +
    `${run.ledger.calls.length} rows, of which ${unseenRows(run)} no client saw in full; ` +
    `${totalCost(run.ledger)} units charged`
  );
}
