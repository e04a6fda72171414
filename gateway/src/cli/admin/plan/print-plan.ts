/** How a plan and its application are printed. */
import { inStyle } from '../../print.ts';
import { cellText } from '../../table.ts';
import type { Applied } from './apply-changes.ts';
import type { Change, Drift, FieldChange, Plan } from './change.ts';

const MARKS = { create: ['+', 'green'], update: ['~', 'yellow'], remove: ['-', 'red'] } as const;
/** A space can have many grants that were made by hand. */
const DRIFT_SHOWN_MAX = 50;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printPlan({ changes, drift }: Plan): void {
  for (const change of changes) print(changeText(change));
  if (changes.length > 0) print('');
  print(summary(changes));
  printDrift(drift);
}

/** One line for what changes, and one for each field: `role: member → admin`. */
export function changeText({ action, subject, space, name, fields }: Change): string {
  const [mark, style] = MARKS[action];
  const title = `${inStyle(style, mark)} ${subject} ${placeOf({ subject, space, name })}`;
  return [title, ...fields.map((field) => `    ${fieldText(field)}`)].join('\n');
}

/** `acme/ci`, or `acme` for the space itself. */
export function placeOf({ subject, space, name }: Pick<Drift, 'subject' | 'space' | 'name'>): string {
  return subject === 'space' ? name : `${space}/${name}`;
}

/** As programs read it: without the operations. */
export function shownChange({ action, subject, space, name, fields }: Change) {
  return { action, subject, space, name, fields };
}

/** What was not done, or how much was. */
export function printRest({ done, failed, notDone }: Applied): void {
  if (failed === null) {
    print(done.length === 0 ? 'Nothing to change.' : `\n${counted(done.length, 'change')} applied.`);
    return;
  }
  const { change, stepsDone } = failed;
  const steps = stepsDone === 0 ? '' : ` (${stepsDone} of ${change.steps.length} steps were done)`;
  print(`${inStyle('red', 'failed')}: ${change.subject} ${placeOf(change)}${steps}`);
  for (const one of notDone) print(`not done: ${one.subject} ${placeOf(one)}`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function printDrift(drift: readonly Drift[]): void {
  if (drift.length === 0) return;
  print('\nDifferent from the file, and left as it is:');
  for (const one of drift.slice(0, DRIFT_SHOWN_MAX)) print(`  ${one.subject} ${placeOf(one)}: ${one.why}`);
  if (drift.length > DRIFT_SHOWN_MAX)
    print(`  and ${drift.length - DRIFT_SHOWN_MAX} more (--json lists all)`);
}

function summary(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing to change.';
  const count = (action: Change['action']): number => changes.filter((one) => one.action === action).length;
  return `${count('create')} to create, ${count('update')} to update, ${count('remove')} to remove.`;
}

function fieldText({ field, ...change }: FieldChange): string {
  const after = shown(change.after);
  return 'before' in change ? `${field}: ${shown(change.before)} → ${after}` : `${field}: ${after}`;
}

/** Null stands for no limit, as in the file. */
function shown(value: unknown): string {
  return value === null ? 'none' : cellText(value);
}
