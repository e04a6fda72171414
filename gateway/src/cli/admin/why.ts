/** `why`: the explanation of one request. */
import type { Explanation } from '../../contract/explanation.ts';
import { argument } from '../command.ts';
import { printFields, printJson, printRows } from '../print.ts';
import type { Row } from '../table.ts';
import { adminCommand } from './admin-command.ts';

export const whyCommand = adminCommand('why', {
  help: 'explain a request: the limit that rejected it with its numbers, or the receipt of the call',
  examples: ['tollgate why req_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: {
    ref: argument(
      '<ref>',
      'its x-request-id or error_ref, the request_id of a line of a batch, or the id of a video job',
    ),
  },
  print(explanation, flags) {
    if (flags.json) printJson(explanation);
    else printExplanation(explanation);
  },
});

export function printExplanation({ ref, space, key, key_hint, member, refusal, call }: Explanation): void {
  const sender = { space, key: key === null ? null : `${key} (${key_hint})`, member };
  printKnown({ request: ref, ...sender });
  if (refusal !== null) {
    const { facts, ...answer } = refusal;
    heading('Answered with an error');
    printKnown({ ...answer, ...facts });
  }
  if (call !== null) printReceipt(call);
}

function printReceipt(explained: NonNullable<Explanation['call']>): void {
  const { usage, lines, corrections, attempt_log, ...call } = explained;
  heading('The call');
  printKnown({ ...call, ...usage });
  if (attempt_log !== null) {
    heading('Attempts');
    printRows(attempt_log, { empty: '' });
  }
  if (lines.length > 0) {
    heading('Cost (prices are per million tokens, per image or per second)');
    printRows(lines, { empty: '' });
  }
  if (corrections.length > 0) {
    heading('Corrected');
    printRows(corrections, { empty: '' });
  }
}

function heading(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/** Leaves out what is not known or does not apply. */
function printKnown(fields: Row): void {
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  printFields(Object.fromEntries(known));
}
