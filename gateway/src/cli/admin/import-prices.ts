/** `prices import`: prices of a public list, as a reviewed difference to the sheet in force. */
import { chmodSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { systemClock } from '../../kernel/time.ts';
import type { ComparedModel, PriceDifference } from '../../price-import/compare-prices.ts';
import type { Origin } from '../../price-import/merge-entries.ts';
import { type SourceKind, type SourceModel, sourceKinds } from '../../price-import/sources/source-model.ts';
import { argument, type CommonFlags, command, flag, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { UsageError } from '../usage-error.ts';
import { listOrAll, oneOf } from '../words.ts';

export const importPrices = command({
  name: 'import',
  help: 'compare the price sheet with a file of prices, and write a new version of it with --write',
  examples: [
    'tollgate prices import data.json --from genai-prices',
    'tollgate prices import prices.csv --model gpt-5 --write',
  ],
  note: 'Sources: data.json of genai-prices or the script of its npm package, the price map of LiteLLM, or CSV (docs/prices.md).',
  arguments: { file: argument('<file>', 'the file of prices') },
  options: {
    from: option('<kind>', 'genai-prices, litellm or csv (default: recognised by its content)', {
      read: oneOf(sourceKinds),
    }),
    also: option('<file>', 'a second source; prices about which the two disagree are shown and not written'),
    sheet: option('<file>', 'the configuration file (default: that of --config)'),
    model: option('<codes>', 'only these models, as a,b,c; they are written even if the sources disagree', {
      read: listOrAll,
    }),
    all: flag('show prices that are the same or only in the sheet, too'),
    write: flag('write the new prices into the configuration file'),
    sheetVersion: option('<name>', 'the new version of the sheet (default: the date)'),
    starting: option(
      '<time>',
      'the new prices apply to calls that start then or later: a day (KST), or a moment',
      { read: startTime },
    ),
    asOf: option('<day>', 'the day of which the prices are, as YYYY-MM-DD (default: today)'),
    source: option('<text>', 'where the prices come from (default: the kind and the name of the file)'),
  },
  async run(input, flags) {
    const { comparePrices } = await import('../../price-import/compare-prices.ts');
    const { readSheet } = await import('../read-sheet.ts');
    const sheet = await readSheet(input.sheet === undefined ? flags : { ...flags, config: input.sheet });
    if (input.write && sheet.demo)
      throw new UsageError('There is no tollgate.yaml to write to. "tollgate init" creates one.');
    const { kind, models: source } = await readSource(input.file, input.from);
    const also = input.also === undefined ? null : (await readSource(input.also, undefined)).models;
    const now = systemClock.now();
    const compared = comparePrices(sheet.content, { source, also, models: input.model ?? null, now });
    checkNames(input.model ?? [], compared);
    const origin = readOrigin(
      input.asOf ?? new Date(now).toISOString().slice(0, 10),
      input.source ?? `${kind} ${basename(input.file)}`,
    );
    const merge = { now, origin, from: input.starting ?? null };
    const version = input.sheetVersion ?? null;
    const chosen = chooseModels(compared, input.model ?? null);
    const written = input.write ? await writePrices(sheet, { compared: chosen, merge, version }) : null;
    report(compared, { written, all: input.all, flags });
  },
});

/** A day stands for its first moment (KST). */
function startTime(text: string, label: string): string {
  const from = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00+09:00` : text;
  if (!/T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(from) || Number.isNaN(Date.parse(from)))
    throw new UsageError(`${label} must be a day, or a moment such as 2026-12-01T00:00:00+09:00.`);
  return from;
}

async function readSource(
  file: string,
  kind: SourceKind | undefined,
): Promise<{ kind: SourceKind; models: SourceModel[] }> {
  const { readPriceSource, recogniseSource } = await import(
    '../../price-import/sources/read-price-source.ts'
  );
  const { ConfigError } = await import('../../yaml/config-error.ts');
  const text = readFileSync(file, 'utf8');
  const found = kind ?? recogniseSource(text);
  try {
    return { kind: found, models: readPriceSource(text, found) };
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${file}: ${error.message}`) : error;
  }
}

function readOrigin(asOf: string, source: string): Origin {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(asOf) || Number.isNaN(Date.parse(asOf)))
    throw new UsageError('--as-of must be a day, such as 2026-11-16.');
  return { asOf, source: source.slice(0, 200) };
}

function checkNames(wanted: readonly string[], compared: readonly ComparedModel[]): void {
  const unknown = wanted.find((code) => !compared.some(({ model }) => model === code));
  if (unknown !== undefined)
    throw new UsageError(`--model: no model ${JSON.stringify(unknown)} is served by a real provider.`);
}

/** A model about which the sources disagree is written only if it was named. */
function chooseModels(compared: readonly ComparedModel[], named: readonly string[] | null): ComparedModel[] {
  return compared.filter(
    ({ differences, entries }) =>
      entries.length > 0 &&
      (named !== null || !differences.some(({ state }) => state === 'sources_disagree')),
  );
}

interface Writing {
  readonly compared: readonly ComparedModel[];
  readonly merge: Parameters<typeof import('../../price-import/merge-entries.ts').mergeEntries>[2];
  readonly version: string | null;
}

interface Written {
  readonly file: string;
  readonly version: string;
  readonly models: number;
}

/** The file is read again as the server would read it before it replaces the old one. */
async function writePrices(
  sheet: Awaited<ReturnType<typeof import('../read-sheet.ts').readSheet>>,
  { compared, merge, version }: Writing,
): Promise<Written> {
  const { mergeEntries } = await import('../../price-import/merge-entries.ts');
  const { writeSheet } = await import('../../price-import/write-sheet.ts');
  const old = sheet.content.prices;
  const models = new Map(
    compared.map(({ model, entries }) => [model, mergeEntries(old?.models[model], entries, merge)]),
  );
  const changes = compared.some(({ differences }) =>
    differences.some(
      ({ state, old: before, new: after }) =>
        state === 'new' || state === 'changed' || (after !== null && before !== after),
    ),
  );
  const next =
    version ?? (changes || old === undefined ? nextVersion(old?.version, merge.origin.asOf) : old.version);
  const text = writeSheet(sheet.text, { version: next, models });
  sheet.check(text);
  const target = realpathSync(sheet.file);
  const draft = `${target}.new`;
  // The file may contain secrets, so it keeps its permissions.
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, statSync(target).mode);
  renameSync(draft, target);
  return { file: sheet.file, version: next, models: models.size };
}

function nextVersion(old: string | undefined, day: string): string {
  if (old === undefined || !old.startsWith(day)) return day;
  const [, count = '1'] = /\.(\d+)$/.exec(old) ?? [];
  return `${day}.${Number(count) + 1}`;
}

interface Reported {
  readonly written: Written | null;
  readonly all: boolean;
  readonly flags: CommonFlags;
}

function report(compared: readonly ComparedModel[], { written, all, flags }: Reported): void {
  const differences = compared.flatMap((one) => one.differences);
  const notes = compared.flatMap(({ model, notes: own }) => own.map((note) => ({ model, note })));
  const absent = compared.filter(({ entries }) => entries.length === 0).map(({ model }) => model);
  if (flags.json) {
    const facts = compared.flatMap(({ model, source }) =>
      source === null ? [] : [{ model, ...source.facts }],
    );
    printJson({ differences, notes, not_in_source: absent, facts, written });
    return;
  }
  const shown = differences.filter(({ state }) => all || !['same', 'only_in_sheet'].includes(state));
  printRows(shown.map(shownRow), { empty: 'The sheet has the prices of the source.' });
  const counted = Object.entries(Object.groupBy(differences, ({ state }) => state));
  process.stdout.write(
    `\n${counted.map(([state, rows]) => `${rows.length} ${state.replaceAll('_', ' ')}`).join(', ')}\n`,
  );
  if (absent.length > 0) process.stdout.write(`Not in the source, left as they are: ${absent.join(', ')}\n`);
  for (const { model, note } of notes) process.stdout.write(`${model}: ${note}\n`);
  if (written !== null)
    process.stdout.write(`Wrote ${written.models} models to ${written.file}, version ${written.version}.\n`);
  else process.stdout.write('Nothing was written; --write writes it.\n');
}

function shownRow({ model, what, state, old, new: now, also }: PriceDifference): Record<string, unknown> {
  return { model, price: what, change: state.replaceAll('_', ' '), old, new: now, second_source: also };
}
