/** Both sides of prices, for operators only: cost and margin, and what a provider will bill. */
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import { monthOf } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { marginReport } from '../reports/margin.ts';
import { readToolCosts } from '../reports/provider-tools.ts';
import { readProviderDays, readProviderWork } from '../reports/provider-work.store.ts';
import type { ProvidersOf } from './installation-view.ts';
import { read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { unitsOf } from './read-input.ts';

const margin = read('reports.margin', async ({ db, now, installation }, input) => {
  const { month = monthOf(now), by, units_per_currency: given } = input;
  const configured = installation?.unitsPerCurrency() ?? null;
  const wanted = given === undefined ? null : unitsOf(given, { field: 'units_per_currency' });
  const rate = wanted ?? (configured === null ? null : parseUnits(configured));
  return await marginReport(db, { month, by, rate });
});

const days = read('reports.providerDays', async ({ db, providers }, { provider, from, until }) => {
  const period = { provider, from: Date.parse(from), until: Date.parse(until) };
  const rows = await readProviderDays(db, period);
  if (rows.length === 0) await checkProvider(provider, providers);
  const tools = Map.groupBy(await readToolCosts(db, period), rowKey);
  return {
    provider,
    rows: rows.map((row) => ({
      ...row,
      tools: (tools.get(rowKey(row)) ?? []).map(({ tool, requests, calls, cost }) => {
        return { tool, requests, calls, cost };
      }),
    })),
  };
});

/** A provider that was removed from the configuration still has its past work. */
async function checkProvider(provider: string, providers: ProvidersOf | null): Promise<void> {
  const known = (await providers?.()) ?? null;
  if (known === null || known.includes(provider)) return;
  const guess = nearest(provider, known);
  const advice =
    guess === null ? ` The configuration has: ${known.join(', ') || 'none'}.` : ` Did you mean ${guess}?`;
  throw new Problem('not_found', {
    detail: `There is no provider ${provider} in the configuration, and no work of it in this period.${advice}`,
    param: 'provider',
  });
}

function rowKey({ day, model, currency }: { day: string; model: string; currency: string | null }): string {
  return JSON.stringify([day, model, currency]);
}

const work = read('reports.providerWork', async ({ db, providers }, input) => {
  const { provider, model, tool = null, from, until } = input;
  const period = { provider, model, tool, from: Date.parse(from), until: Date.parse(until) };
  const page = await readProviderWork(db, { ...period, ...wantedPage(input) });
  if (page.rows.length === 0) await checkProvider(provider, providers);
  return answeredPage(page, shownRow);
});

export const marginOperations = [margin, days, work] as const;
