/**
 * What administration is made of: an operation has a name, a schema for its input, and either reads or changes. A
 * change runs in one transaction together with its line in the audit log, so that neither exists without the other.
 */
import type { Static, TObject } from 'typebox';
import { insertAuditLine } from '../access/audit.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { InputCheck } from './check-input.ts';

export interface AdminContext {
  readonly db: Database;
  readonly clock: Clock;
  /** Who runs the operation, for the audit log. */
  readonly actor: string;
  /** The codes of the models of a space; left out where the configuration is not known. */
  readonly models?: (spaceName: string) => Promise<readonly string[]>;
}

export interface Operation<Name extends string, Input extends TObject, Result> {
  /** Also the action in the audit log. */
  readonly name: Name;
  readonly kind: 'read' | 'change';
  readonly input: Input;
  /** Checks the input against the schema before anything else, for every caller. */
  run(context: AdminContext, input: Static<Input>): Promise<Result>;
}

/** What a change works with. Nothing else may reach the database, or it would survive a rollback. */
export interface ChangeTools<Prepared = undefined> {
  readonly tx: Transaction;
  readonly now: Instant;
  readonly models: AdminContext['models'];
  readonly prepared: Prepared;
}

/** What a change did: its answer to the caller, and what the audit log records. */
export interface Changed<Answer extends object> {
  readonly answer: Answer;
  readonly space: Pick<Space, 'id'> | null;
  /** The name of what was changed. */
  readonly subject: string;
  /** The fields that changed; left out where the subject is new or removed. Never a secret. */
  readonly before?: object;
  readonly after?: object;
}

export function read<Name extends string, Input extends TObject, Result>(definition: {
  name: Name;
  input: Input;
  run: (context: AdminContext, input: Static<Input>) => Promise<Result>;
}): Operation<Name, Input, Result> {
  const { name, input, run } = definition;
  const check = new InputCheck(name, input);
  return {
    ...{ name, kind: 'read', input },
    run: async (context, given) => await run(context, check.checked(given)),
  };
}

export function change<
  Name extends string,
  Input extends TObject,
  Answer extends object,
  Prepared = undefined,
>(definition: {
  name: Name;
  input: Input;
  /** Slow work that is done before the transaction, which would hold its locks meanwhile. */
  prepare?: (input: Static<Input>) => Promise<Prepared>;
  run: (tools: ChangeTools<Prepared>, input: Static<Input>) => Promise<Changed<Answer>>;
}): Operation<Name, Input, Answer> {
  const { name, input, prepare, run } = definition;
  const check = new InputCheck(name, input);
  return {
    ...{ name, kind: 'change', input },
    async run({ db, clock, actor, models }, given) {
      const checked = check.checked(given);
      const prepared = (await prepare?.(checked)) as Prepared;
      const now = clock.now();
      return await db.transaction(async (tx) => {
        const changed = await run({ tx, now, models, prepared }, checked);
        const { space, subject, before = null, after = null } = changed;
        const line = { at: now, actor, action: name, spaceId: space?.id ?? null, subject, before, after };
        await insertAuditLine(tx, line);
        return changed.answer;
      });
    },
  };
}
