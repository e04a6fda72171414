import type { Command } from 'commander';
import type { Explanation } from '../contract/explanation.ts';
import { administer, flagsOf } from './administer.ts';
import { printFields, printJson, printRows, type Row } from './print.ts';

export function addWhyCommand(program: Command): void {
  program
    .command('why <ref>')
    .description(
      'explain a request by its id or error_ref, or a video by its job: the limit and its numbers, or the receipt',
    )
    .action(async (ref: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const explanation = await administer<Explanation>('why', { ref }, flags);
      if (flags.json) printJson(explanation);
      else printExplanation(explanation);
    });
}

function printExplanation({ ref, space, key, key_hint, member, refusal, call }: Explanation): void {
  const sender = { space, key: key === null ? null : `${key} (${key_hint})`, member };
  print({ request: ref, ...sender });
  if (refusal !== null) {
    const { facts, ...told } = refusal;
    heading('Answered with an error');
    print({ ...told, ...facts });
  }
  if (call !== null) printReceipt(call);
}

function printReceipt({ usage, lines, corrections, ...call }: NonNullable<Explanation['call']>): void {
  heading('The call');
  print({ ...call, ...usage });
  if (lines.length > 0) {
    heading('What it cost (prices are for a million tokens, for an image, or for a second)');
    printRows(lines, { json: false, empty: '' });
  }
  if (corrections.length > 0) {
    heading('Corrected');
    printRows(corrections, { json: false, empty: '' });
  }
}

function heading(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/** What is not known, or does not apply, is left out. */
function print(fields: Row): void {
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  printFields(Object.fromEntries(known), { json: false });
}
