/** `reconcile`: compares a provider's cost export with what the gateway expects it to bill. */
import { readFile } from 'node:fs/promises';
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { DAY_MS } from '../../kernel/durations.ts';
import { isoOf } from '../../kernel/time.ts';
import { parseUnits } from '../../kernel/units.ts';
import {
  type ComparedCosts,
  type CostDifference,
  compareCosts,
} from '../../reports/reconcile/compare-costs.ts';
import { type CostExport, ExportError } from '../../reports/reconcile/export-line.ts';
import { readCostExport } from '../../reports/reconcile/read-cost-export.ts';
import { argument, command, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { UsageError } from '../usage-error.ts';
import { aliasList, decimal, utcDay, wholeNumber } from '../words.ts';
import { readPages } from './admin-command.ts';
import { withAdministration } from './administer.ts';
import type { Administration } from './administration.ts';

type Work = ResultOf<'reports.providerWork'>['data'][number];
type Difference = CostDifference & { readonly work: readonly Work[] };
type Result = Omit<ComparedCosts, 'differences'> & { readonly differences: readonly Difference[] };

const CALLS_SHOWN = 20;

export const reconcileCommand = command({
  operations: ['reports.providerDays', 'reports.providerWork'],
  name: 'reconcile',
  help: "compare a provider's cost export with our provider side; exits with 1 if they differ",
  examples: [
    'tollgate reconcile costs.json --provider openai',
    'tollgate reconcile costs.csv --provider anthropic --from 2026-11-01 --until 2026-12-01 --json',
  ],
  arguments: { file: argument('<file>', 'the export: JSON, JSON lines or CSV') },
  options: {
    provider: option('<name>', 'the provider in tollgate.yaml', { required: true }),
    from: option('<day>', 'the first day (UTC; default: the first of the export)', { read: utcDay }),
    until: option('<day>', 'the day after the last (UTC; default: after the last of the export)', {
      read: utcDay,
    }),
    project: option('<id>', 'the project or workspace that the key of the provider belongs to'),
    names: option('<theirs=ours,…>', 'models that the export calls by other names', { read: aliasList }),
    tolerance: option('<amount>', 'ignore differences up to this', { read: decimal, default: '0' }),
    calls: option('<number>', 'the most calls that are shown for a difference', {
      read: wholeNumber,
      default: CALLS_SHOWN,
    }),
  },
  async run({ file, provider, calls, names, tolerance, ...wanted }, flags) {
    const costs = await readExport(file);
    const period = periodOf(costs, wanted);
    const project = projectOf(costs, wanted.project);
    const result = await withAdministration(flags, async (administration) => {
      const range = { provider, from: `${period.from}T00:00:00Z`, until: `${period.until}T00:00:00Z` };
      const { rows } = await administration.run('reports.providerDays', range);
      const currency = currencyOf(costs, rows);
      const compared = compareCosts(costs, rows, {
        ...period,
        project,
        currency,
        tolerance: parseUnits(tolerance),
        aliases: names ?? new Map(),
      });
      const differences: Difference[] = [];
      for (const one of compared.differences)
        differences.push({ ...one, work: await workOf(administration, { provider, rows }, one) });
      return { ...compared, differences };
    });
    if (flags.json) printJson(shownResult(provider, result));
    else printResult(result, calls);
    if (result.differences.length > 0) process.exitCode = 1;
  },
});

async function readExport(file: string): Promise<CostExport> {
  try {
    const costs = readCostExport(await readFile(file, 'utf8'));
    if (costs.lines.length === 0) throw new ExportError('The export has no costs.');
    return costs;
  } catch (error) {
    if (error instanceof ExportError) throw new UsageError(`${file}: ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError(`There is no file ${file}.`);
    throw error;
  }
}

function periodOf({ lines }: CostExport, wanted: { from?: string | undefined; until?: string | undefined }) {
  const days = lines.map(({ day }) => day).toSorted();
  const from = wanted.from ?? (days[0] as string);
  const until = wanted.until ?? nextDay(days.at(-1) as string);
  if (from >= until) throw new UsageError(`--until ${until} must be later than --from ${from}.`);
  return { from, until };
}

function nextDay(day: string): string {
  return isoOf(Date.parse(day) + DAY_MS).slice(0, day.length);
}

/** Null if the export has only one. */
function projectOf({ lines }: CostExport, wanted: string | undefined): string | null {
  const projects = [...new Set(lines.map(({ project }) => project))];
  const names = projects.map((project) => project ?? '(none)').join(', ');
  if (wanted !== undefined) {
    if (projects.includes(wanted)) return wanted;
    throw new UsageError(`The export has no project ${wanted}. It has: ${names}.`);
  }
  if (projects.length <= 1) return null;
  throw new UsageError(`The export has several projects: ${names}. Choose one with --project.`);
}

function currencyOf({ lines }: CostExport, rows: ReadonlyArray<{ currency: string | null }>): string {
  const found = new Set([
    ...lines.map(({ currency }) => currency),
    ...rows.flatMap(({ currency }) => currency ?? []),
  ]);
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  throw new UsageError(`Only one currency can be compared, but there are ${[...found].join(' and ')}.`);
}

async function workOf(
  administration: Administration,
  { provider, rows }: ResultOf<'reports.providerDays'>,
  { day, model, tools, requests }: CostDifference,
): Promise<Work[]> {
  if (requests === 0) return [];
  const range = { provider, from: `${day}T00:00:00Z`, until: `${nextDay(day)}T00:00:00Z` };
  const asked = tools.length === 0 ? [{ model }] : toolsUsed(rows, day, tools);
  const work = new Map<string, Work>();
  for (const one of asked) {
    const { items } = await readPages(administration, 'reports.providerWork', { ...range, ...one }, null);
    for (const item of items) work.set(`${item.id} ${item.price_version}`, item);
  }
  return [...work.values()].toSorted((a, b) => suspicion(b, day) - suspicion(a, day));
}

/** The models that called one of these tools on a day. */
function toolsUsed(rows: ResultOf<'reports.providerDays'>['rows'], day: string, kinds: readonly string[]) {
  return rows
    .filter((row) => row.day === day)
    .flatMap(({ model, tools }) =>
      tools.flatMap(({ tool }) => (kinds.includes(tool) ? [{ model, tool }] : [])),
    );
}

/** What may explain a difference comes first. */
function suspicion(work: Work, day: string): number {
  return (
    (work.unknown > 0 ? 4 : 0) +
    (work.usage_source === 'estimated' ? 2 : 0) +
    (startedBefore(work, day) ? 1 : 0)
  );
}

function startedBefore({ started_at }: Work, day: string): boolean {
  return Date.parse(started_at) < Date.parse(day);
}

function notesOf(work: Work, day: string): string[] {
  return [
    ...(work.unknown > 0 ? ['no provider price'] : []),
    ...(work.usage_source === 'estimated' ? ['usage estimated'] : []),
    ...(startedBefore(work, day) ? ['started the day before'] : []),
  ];
}

function shownResult(provider: string, result: Result) {
  const { differences, otherProjects, ...rest } = result;
  return {
    provider,
    ...rest,
    other_projects: otherProjects,
    differences: differences.map(({ work, ...one }) => ({
      ...one,
      calls: work.map((item) => ({ ...item, notes: notesOf(item, one.day) })),
    })),
  };
}

function printResult(result: Result, callsMax: number): void {
  const { currency, from, until, compared, exported, ours, difference } = result;
  const write = (line: string): boolean => process.stdout.write(`${line}\n`);
  write(`${from} to ${until} (not included, UTC), in ${currency}. Sums by day and model: ${compared}.`);
  write(`Export ${exported}, ours ${ours}, difference ${difference}.`);
  for (const { project, exported: amount } of result.otherProjects)
    write(`Not compared: ${amount} of the project ${project ?? '(none)'}.`);
  if (result.differences.length === 0) write('There are no differences.');
  for (const one of result.differences) printDifference(one, callsMax);
}

function printDifference(one: Difference, callsMax: number): void {
  const { day, model, project, work } = one;
  process.stdout.write(
    `\n${day} ${model}${project === null ? '' : ` (${project})`}: export ${one.exported ?? 'nothing'}, ` +
      `ours ${one.ours ?? 'nothing'}, difference ${one.difference}; ` +
      `${one.requests} requests, ${one.unknown} without a provider price, ${one.estimated} estimated\n`,
  );
  const rows = work.slice(0, callsMax).map((item) => ({
    id: item.id,
    ...(one.tools.length > 0 ? toolCounts(item) : tokenCounts(item)),
    notes: notesOf(item, day).join(', '),
  }));
  if (rows.length > 0) printRows(rows, { empty: '' });
  if (work.length > callsMax)
    process.stdout.write(`and ${work.length - callsMax} more: use --calls NUMBER or --json\n`);
}

function tokenCounts(item: Work) {
  return {
    input: item.input_tokens,
    cached: item.cached_input_tokens,
    written: item.cache_write_tokens,
    output: item.output_tokens,
    cost: item.cost ?? 'unknown',
  };
}

/** The cost of a call is that of its tokens too, so it is not shown beside a fee. */
function toolCounts({ tools }: Work) {
  return {
    calls: Object.entries(tools ?? {})
      .map(([kind, calls]) => `${calls} of ${kind}`)
      .join(', '),
  };
}
