/** What a gateway tells of its spaces over HTTP, laid beside what the database holds. */
import type { BalanceRecord, UsageRecord } from '../../src/contract/platform.ts';
import { parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import type { Verdict } from '../../src/reports/verify-books.store.ts';
import type { Ledger } from './ledger.ts';

export interface SpaceReports {
  readonly space: string;
  /** Of every month in which there were calls. */
  readonly usage: readonly UsageRecord[];
  readonly balance: BalanceRecord;
}

export async function askReports(
  gateway: { url: string },
  spaces: ReadonlyArray<{ name: string; management: string }>,
  ledger: Ledger,
): Promise<SpaceReports[]> {
  const months = [...new Set(ledger.totals.map(({ month }) => month))];
  return await Promise.all(
    spaces.map(async ({ name, management }) => {
      const ask = async <Answer>(path: string): Promise<Answer> => {
        const headers = { authorization: `Bearer ${management}`, connection: 'close' };
        const reply = await fetch(`${gateway.url}/v1/${path}`, { headers });
        if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`);
        return (await reply.json()) as Answer;
      };
      const usage = await Promise.all(months.map((month) => ask<UsageRecord>(`usage?month=${month}`)));
      return { space: name, usage, balance: await ask<BalanceRecord>('balance') };
    }),
  );
}

/** Figures that should be one and are not, in a sentence each: usage, balance, rows of calls, journal. */
export function wrongReports(run: {
  reports: readonly SpaceReports[];
  ledger: Ledger;
  verdict: Verdict;
}): string[] {
  return run.reports.flatMap(({ space, usage, balance }) => {
    const spaceId = run.ledger.accounts.find((account) => account.space === space)?.spaceId;
    const own = <T extends { spaceId: string }>(rows: readonly T[]): T[] =>
      rows.filter((row) => row.spaceId === spaceId);
    const calls = own(run.ledger.calls);
    const charged = sum(calls.map(({ cost }) => cost ?? '0'));
    const given = sum(own(run.ledger.grants).map(({ amount }) => amount));
    const books = run.verdict.spaces.find((one) => one.space === space);
    const requests = calls.filter(({ outcome }) => outcome !== 'failed').length;
    const pairs: Array<[string, string, string]> = [
      ['usage', printed(sum(usage.map(({ totalCostUsage }) => totalCostUsage))), printed(charged)],
      ['usage by model', costs(usage.flatMap(({ costsByModel }) => costsByModel)), printed(charged)],
      ['usage by key', costs(usage.flatMap(({ costsByVirtualKey }) => costsByVirtualKey)), printed(charged)],
      ['requests', String(usage.reduce((all, one) => all + one.totalRequestCount, 0)), String(requests)],
      [
        'units gone',
        printed(given - sum([balance.held.total]) + sum([balance.overage.accrued])),
        printed(charged),
      ],
      ['the journal', books?.spent ?? 'nothing', printed(charged)],
      ['promo units in the journal', books?.promo ?? 'nothing', balance.held.promo],
      ['paid units in the journal', books?.paid ?? 'nothing', balance.held.paid],
      ['overage in the journal', books?.overage ?? 'nothing', balance.overage.accrued],
    ];
    return pairs
      .filter(([, found, expected]) => found !== expected)
      .map(([what, found, expected]) => `${space}: ${what} is ${found}, should be ${expected}`);
  });
}

function sum(amounts: readonly string[]): bigint {
  return sumUnits(amounts.map(parseUnits));
}

function costs(rows: ReadonlyArray<{ cost: string }>): string {
  return printed(sum(rows.map(({ cost }) => cost)));
}

function printed(amount: bigint): string {
  return printUnits(amount as Units);
}
