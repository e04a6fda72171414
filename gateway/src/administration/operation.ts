/**
 * What administration is made of: an operation implements one endpoint of the contract. Who may run it is decided in
 * authorize.ts. A change runs in one transaction together with its line in the audit log, so that neither exists
 * without the other; a repeated request with the same Idempotency-Key gets the first answer.
 */
import type { Static } from 'typebox';
import type { Actor } from '../access/actor.ts';
import { insertAuditLine } from '../access/audit.store.ts';
import { lockAccess } from '../access/keys.store.ts';
import type { Space } from '../access/spaces.store.ts';
import {
  type AdminEndpoint,
  type AdminInput,
  type IN_SPACE,
  inputSchemaOf,
} from '../contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type OperationName,
  type ResultOf,
} from '../contract/administration/admin-endpoints.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { type CurrencyRate, rateAt } from '../kernel/unit-value.ts';
import type { BillingOf } from '../metering/bill-later.ts';
import { authorize, type Own } from './authorize.ts';
import { InputCheck } from './check-input.ts';
import type { InstallationView, ModelsOf, ProvidersOf, UnitValueOf } from './installation-view.ts';
import { answerOnce, type Repeat } from './repeat.ts';

export interface AdminContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly actor: Actor;
  /** From the configuration; left out where it is not known. */
  readonly models?: ModelsOf | null;
  /** From the configuration; left out where it is not known. */
  readonly providers?: ProvidersOf | null;
  /** From the configuration; left out where it is not known. */
  readonly billing?: BillingOf | null;
  /** From the configuration; left out where it is not known. */
  readonly unitValue?: UnitValueOf | null;
  /** What the running server knows; left out where none is running. */
  readonly installation?: InstallationView | null;
  /** The request's Idempotency-Key; null: none was sent. */
  readonly repeat?: Repeat | null;
}

type EndpointOf<Name extends OperationName> = (typeof adminEndpoints)[Name];
type SpaceOf<Name extends OperationName> = EndpointOf<Name>['path'] extends `${typeof IN_SPACE}${string}`
  ? Space
  : null;
type Checked<Name extends OperationName> = AdminInput<EndpointOf<Name>>;

export interface Operation<Name extends OperationName = OperationName> {
  /** Also the action in the audit log. */
  readonly name: Name;
  readonly endpoint: AdminEndpoint;
  /** Checks the input and the rights before anything else, for every caller. */
  run(context: AdminContext, input: unknown): Promise<ResultOf<Name>>;
}

interface Reach<Name extends OperationName> {
  readonly actor: Actor;
  readonly space: SpaceOf<Name>;
  /** A member reaches only what is theirs; null: everything in the space. */
  readonly own: Own | null;
  readonly models: ModelsOf | null;
  readonly installation: InstallationView | null;
}

/** What a read works with. */
export interface ReadTools<Name extends OperationName> extends Reach<Name> {
  readonly db: Database;
  readonly providers: ProvidersOf | null;
  readonly now: Instant;
  /** What a unit is worth at a time; null: the installation does not say it. */
  rate(at: Instant): Promise<CurrencyRate | null>;
}

/** What a change works with. Nothing else may reach the database, or it would survive a rollback. */
export interface ChangeTools<Name extends OperationName, Prepared = undefined> extends Reach<Name> {
  readonly tx: Transaction;
  readonly now: Instant;
  readonly prepared: Prepared;
}

/** What a change did: its answer to the caller, and what the audit log records. */
export interface Changed<Answer> {
  readonly answer: Answer;
  /** Left out: the space of the operation. */
  readonly space?: Pick<Space, 'id'> | null;
  /** The name of what was changed. */
  readonly subject: string;
  /** The fields that changed; left out where the subject is new or removed. Never a secret. */
  readonly before?: object;
  readonly after?: object;
}

export function read<Name extends OperationName>(
  name: Name,
  run: (tools: ReadTools<Name>, input: Checked<Name>) => Promise<ResultOf<Name>>,
): Operation<Name> {
  const { endpoint, checked } = declared(name);
  return {
    name,
    endpoint,
    async run(context, given) {
      const { db, clock, actor, models = null, providers = null, installation = null } = context;
      const input = checked(given);
      const { space, own } = await authorize(db, actor, { endpoint, input });
      const configured = { models, providers, installation };
      const reached = { actor, own, space: space as SpaceOf<Name> };
      const rate = async (at: Instant) => rateAt((await context.unitValue?.()) ?? null, at);
      return await run({ db, now: clock.now(), rate, ...configured, ...reached }, input);
    },
  };
}

export function change<Name extends OperationName, Prepared = undefined>(
  name: Name,
  run: (tools: ChangeTools<Name, Prepared>, input: Checked<Name>) => Promise<Changed<ResultOf<Name>>>,
  /** Slow work that is done before the transaction, which would hold its locks meanwhile. */
  prepare?: (input: Checked<Name>, context: Pick<AdminContext, 'db' | 'billing'>) => Promise<Prepared>,
): Operation<Name> {
  const { endpoint, checked } = declared(name);
  return {
    name,
    endpoint,
    async run(context, given) {
      const { db, clock, actor: caller, models = null, installation = null, repeat = null } = context;
      const input = checked(given);
      const reach = { endpoint, input };
      // Also before the slow work and the lock, so that nobody without the right can cause them.
      await authorize(db, caller, reach);
      const prepared = (await prepare?.(input, context)) as Prepared;
      return await db.transaction(async (tx) => {
        // Changes run one after another: what one has read is still true when it writes.
        await lockAccess(tx);
        const now = clock.now();
        const actor = (await caller.reread?.(tx)) ?? caller;
        const { space, own } = await authorize(tx, actor, reach);
        const once = {
          actor: actor.id,
          operation: name,
          reach: own?.memberId ?? 'all',
          input,
          repeat,
          now,
        };
        return await answerOnce(tx, once, async () => {
          const tools = {
            tx,
            now,
            actor,
            models,
            installation,
            prepared,
            own,
            space: space as SpaceOf<Name>,
          };
          const changed = await run(tools, input);
          const { subject, before = null, after = null } = changed;
          const spaceId = (changed.space === undefined ? space : changed.space)?.id ?? null;
          await insertAuditLine(tx, {
            at: now,
            actor: actor.name,
            action: name,
            spaceId,
            subject,
            before,
            after,
          });
          return changed.answer;
        });
      });
    },
  };
}

type WithSpace<Name extends OperationName> = Checked<Name> & { space?: string };

function declared<Name extends OperationName>(
  name: Name,
): { endpoint: AdminEndpoint; checked: (input: unknown) => WithSpace<Name> } {
  const endpoint: AdminEndpoint = adminEndpoints[name];
  const check = new InputCheck(name, inputSchemaOf(endpoint), { optional: ['space'] });
  return { endpoint, checked: (input) => check.checked(input) as Static<never> as WithSpace<Name> };
}
