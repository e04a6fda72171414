/** `plan` and `apply`: administration by a file that says what should be. */
import { appendFileSync, chmodSync, closeSync, openSync, readFileSync } from 'node:fs';
import type { OperationName } from '../../contract/administration/admin-endpoints.ts';
import { systemClock } from '../../kernel/time.ts';
import { command, flag, option } from '../command.ts';
import { printJson } from '../print.ts';
import { exitCodes } from '../report-error.ts';
import { UsageError } from '../usage-error.ts';
import { withAdministration } from './administer.ts';
import type { Administration } from './administration.ts';
import { lostLines } from './lost-rights.ts';
import { type Applied, applyChanges, type CreatedSecret } from './plan/apply-changes.ts';
import type { Plan } from './plan/change.ts';
import { readCurrentState } from './plan/current-state.ts';
import { exampleFile } from './plan/example-file.ts';
import { planChanges } from './plan/plan-changes.ts';
import { changeText, placeOf, print, printPlan, printRest, shownChange } from './plan/print-plan.ts';

const reads: readonly OperationName[] = [
  'spaces.list',
  'members.list',
  'keys.list',
  'workloads.list',
  'grants.list',
  'budgets.list',
  'projectIds.list',
  'projects.list',
];

const file = option('<file>', 'the file; "-" is standard input', { short: 'f' });

export const planCommand = command({
  name: 'plan',
  help: 'compare a file that describes spaces, members, keys, grants, aliases, budgets and projects with what there is',
  examples: ['tollgate plan -f state.yaml', 'tollgate plan --example > state.yaml'],
  operations: reads,
  options: {
    file,
    exitCode: flag('exit with 2 if there are changes, and with 1 after any error'),
    example: flag('print an example of the file'),
  },
  async run({ file, exitCode, example }, flags) {
    if (example) {
      process.stdout.write(exampleFile);
      return;
    }
    const plan = await withAdministration(flags, (administration) => readPlan(administration, file));
    if (flags.json) printJson({ changes: plan.changes.map(shownChange), drift: plan.drift });
    else printPlan(plan);
    if (exitCode && plan.changes.length > 0) process.exitCode = exitCodes.changes;
  },
});

export const applyCommand = command({
  name: 'apply',
  help: 'make spaces, members, keys, grants, aliases, budgets and projects what a file describes; see "plan" first',
  examples: ['tollgate apply -f state.yaml', 'tollgate apply -f state.yaml --secrets new-keys.jsonl'],
  operations: reads,
  options: {
    file,
    secrets: option(
      '<file>',
      'append the secrets of new keys to this file as JSON lines, instead of printing them',
    ),
  },
  run: ({ file, secrets }, flags) =>
    withAdministration(flags, async (administration) => {
      const { changes } = await readPlan(administration, file);
      const makesKeys = changes.some(({ action, subject }) => action === 'create' && subject === 'key');
      if (makesKeys && secrets !== undefined) openSecrets(secrets);
      const made: CreatedSecret[] = [];
      const say = flags.json ? () => undefined : print;
      const applied = await applyChanges(administration, changes, {
        onDone: (change) => say(changeText(change)),
        onLost: (answer) => lostLines(answer).forEach(say),
        onSecret(secret) {
          if (secrets !== undefined) appendFileSync(secrets, `${JSON.stringify(secret)}\n`);
          else made.push(secret);
          if (secrets === undefined) say(`secret of key ${secret.space}/${secret.name}: ${secret.key}`);
        },
      });
      if (flags.json) printJson({ ...shownResult(applied), secrets: secrets === undefined ? made : null });
      else printRest(applied);
      if (applied.failed !== null) throw failure(applied.failed);
    }),
});

/** Reads the file and what there is; throws before anything is changed if the file cannot be applied. */
async function readPlan(administration: Administration, file: string | undefined): Promise<Plan> {
  if (file === undefined)
    throw new UsageError('Name the file with -f FILE. "tollgate plan --example" prints one.');
  // Loads the shapes of the API only now, so that other commands start fast.
  const { readStateFile } = await import('./plan/read-state-file.ts');
  const { content, reject } = readStateFile(file, readFileSync(file === '-' ? 0 : file, 'utf8'));
  const plan = planChanges(content, await readCurrentState(administration, content), systemClock.now());
  reject(plan.mistakes);
  return plan;
}

/** Opened before anything is changed, so that no secret is lost to a file that cannot be written. */
function openSecrets(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function shownResult({ done, failed, notDone }: Applied) {
  return {
    done: done.map(shownChange),
    failed: failed === null ? null : shownChange(failed.change),
    not_done: notDone.map(shownChange),
  };
}

/** The error of the operation, with what to do next. */
function failure({ change, error }: NonNullable<Applied['failed']>): unknown {
  if (error instanceof Error)
    error.message =
      `The ${change.subject} ${placeOf(change)} could not be ${PARTICIPLES[change.action]}: ${error.message} ` +
      'Fix it, then run "tollgate apply" again: it continues with what is left.';
  return error;
}

const PARTICIPLES = { create: 'created', update: 'updated', remove: 'removed' } as const;
