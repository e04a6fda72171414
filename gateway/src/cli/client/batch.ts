/** `batches check`: checks a batch file here; the commands that need a gateway are in batch-run.ts. */
import type { Model } from '../../catalog/model.ts';
import { systemClock } from '../../kernel/time.ts';
import { printUnits, type Units } from '../../kernel/units.ts';
import { argument, type CommonFlags, command, flag, flagOn } from '../command.ts';
import { callerOptions, notePricesBySpace, readCaller } from '../price-caller.ts';
import { printJson } from '../print.ts';
import { readInstallation } from '../read-installation.ts';
import { batchRunCommands } from './batch-run.ts';
import type { CheckedBatch } from './check-batch.ts';
import type { BatchEstimate } from './estimate-batch.ts';
import { groupRows } from './group-rows.ts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const checkCommand = command({
  name: 'check',
  help: 'check a batch file by the rules of the upload, without uploading it, and estimate its cost',
  examples: ['tollgate batches check requests.jsonl', 'tollgate batches check requests.jsonl --fix'],
  arguments: { file: argument('<file>', 'a JSONL file with one request per line') },
  options: {
    fix: flag('write a copy beside the file with everything fixed that can be fixed automatically'),
    estimate: flagOn('do not count tokens'),
    ...callerOptions,
  },
  run: (input, flags) => check(input, flags),
});

/** What the owner of a batch does, with a key. */
export const ownBatchCommands = [checkCommand, ...batchRunCommands];

async function check(
  input: {
    file: string;
    fix: boolean;
    estimate: boolean;
    space: string | undefined;
    key: string | undefined;
  },
  flags: CommonFlags,
): Promise<void> {
  const { file, fix, space } = input;
  const caller = readCaller(input);
  const { catalog } = await readInstallation(flags);
  const { batchModelsOf } = await import('../../batch-files/find-batch-model.ts');
  const { checkBatch, writeFixed } = await import('./check-batch.ts');
  const { TokenCounter } = await import('../../tokens/token-counter.ts');
  const tokens = input.estimate ? new TokenCounter(systemClock) : null;
  const user = space === undefined ? null : { spaceName: space, models: null };
  const findModel = batchModelsOf(catalog, user);
  const tools = { findModel, tokens, caller, onProgress };
  try {
    let checked = await checkBatch(file, tools);
    if (fix && (checked.report.badRowCount > 0 || checked.warnings.length > 0)) {
      if (!flags.json) show(checked, { hint: false });
      checked = await checkBatch(await writeFixed(file, findModel), tools);
      if (!flags.json) print('');
    }
    if (flags.json) printJson(asJson(checked));
    else show(checked, { hint: !fix });
    const { estimate, report } = checked;
    if (estimate !== null && report.model !== null) notePricesBySpace([report.model], caller);
    if (checked.report.badRowCount > 0) process.exitCode = 1;
  } finally {
    await tokens?.stop();
  }
}

/** Counting the tokens of a large file takes a while. */
function onProgress(share: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(share < 1 ? `\r${Math.floor(share * 100)} % ` : '\r      \r');
}

function show(checked: CheckedBatch, options: { hint: boolean }): void {
  const { file, bytes, report, warnings, estimate } = checked;
  const { rows, model, url, badRows, badRowCount } = report;
  print(`${file}: ${count(rows, 'row')}, ${number(bytes)} bytes${model ? `, ${model.code} on ${url}` : ''}`);
  if (badRowCount > 0) {
    print(`\n${count(badRowCount, 'row')} would be rejected:`);
    for (const { title, rows: which, advice } of groupRows(badRows))
      print(`  ${title}  ${which}\n    ${advice}`);
  }
  if (warnings.length > 0) {
    print(`\n${count(warnings.length, 'row')} would be accepted, but fail when run:`);
    for (const { title, rows: which, advice } of groupRows(warnings))
      print(`  ${title}  ${which}\n    ${advice}`);
  }
  if (options.hint && (badRowCount > 0 || warnings.length > 0)) {
    print('\n--fix writes a copy with everything fixed that can be fixed automatically.');
  }
  if (badRowCount === 0) print('\nThe file would be accepted.');
  if (estimate !== null && model !== null) showEstimate(estimate, model);
}

function showEstimate(estimate: BatchEstimate, model: Model): void {
  const { rows, inputTokens, outputTokensMax, uncappedRows } = estimate;
  const { inputUnits, outputUnitsMax, requestUnits, unitsMax } = estimate;
  print(
    `\nEstimate with the batch prices of version ${model.priceVersion}; the charge is what the provider counts:`,
  );
  print(`  input   ${number(inputTokens)} tokens, counted locally: ${units(inputUnits)}`);
  if (outputTokensMax > 0) {
    print(
      `  output  at most ${number(outputTokensMax)} tokens, the sum of the caps: ${units(outputUnitsMax)}`,
    );
  }
  if (requestUnits > 0n) print(`  rows    ${count(rows, 'request')}: ${units(requestUnits)}`);
  if (unitsMax !== null && (outputTokensMax > 0 || requestUnits > 0n))
    print(`  total   at most ${printUnits(unitsMax)} units`);
  if (uncappedRows > 0) {
    print(
      `  output  unknown for ${count(uncappedRows, 'row')} without an output cap, and not in the estimate`,
    );
  }
}

function asJson({ file, bytes, report, warnings, estimate }: CheckedBatch): unknown {
  return {
    file,
    bytes,
    rows: report.rows,
    model: report.model?.code ?? null,
    endpoint: report.url,
    valid: report.badRowCount === 0,
    bad_rows: report.badRows.map(({ row, reason, field, advice }) => ({ row, reason, field, advice })),
    warnings,
    estimate: estimate && {
      input_tokens: estimate.inputTokens,
      output_tokens_max: estimate.outputTokensMax,
      rows_without_output_cap: estimate.uncappedRows,
      input_units: estimate.inputUnits === null ? null : printUnits(estimate.inputUnits),
      output_units_max: estimate.outputUnitsMax === null ? null : printUnits(estimate.outputUnitsMax),
      request_units: printUnits(estimate.requestUnits),
      units_max: estimate.unitsMax === null ? null : printUnits(estimate.unitsMax),
    },
  };
}

function units(amount: Units | null): string {
  return amount === null ? 'the model has no batch price' : `${printUnits(amount)} units`;
}

function count(many: number, what: string): string {
  return `${number(many)} ${what}${many === 1 ? '' : 's'}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
