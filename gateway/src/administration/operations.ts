/**
 * Everything an operator can do, in one table: the server runs it for calls on its local socket, the command line
 * runs it directly when no server is running. The input and the result of each operation are inferred by its name.
 */
import type { Static, TObject } from 'typebox';
import { batchOperations } from './batches.ts';
import { keyRuleOperations } from './key-rules.ts';
import { keyOperations } from './keys.ts';
import { memberOperations } from './members.ts';
import type { AdminContext, Operation } from './operation.ts';
import { peopleOperations } from './people.ts';
import { projectOperations } from './projects.ts';
import { reportOperations } from './reports.ts';
import { spaceOperations } from './spaces.ts';
import { unitOperations } from './units.ts';

const all = [
  ...spaceOperations,
  ...memberOperations,
  ...keyOperations,
  ...keyRuleOperations,
  ...unitOperations,
  ...reportOperations,
  ...batchOperations,
  ...peopleOperations,
  ...projectOperations,
] as const;

type Any = (typeof all)[number];
type Named<Name extends OperationName> = Extract<Any, { name: Name }>;

export type OperationName = Any['name'];
/** Fields that may be left out may also be undefined. */
export type InputOf<Name extends OperationName> = Loose<Static<Named<Name>['input']>>;
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<Named<Name>['run']>>;

type Loose<Input> = {
  [Field in keyof Input]: Record<never, never> extends Pick<Input, Field>
    ? Input[Field] | undefined
    : Input[Field];
};

/** For callers that have the name as text and an unchecked input. */
export interface AnyOperation extends Pick<Operation<string, TObject, unknown>, 'name' | 'kind' | 'input'> {
  run(context: AdminContext, input: unknown): Promise<unknown>;
}

export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  all.map((operation): [string, AnyOperation] => [operation.name, operation as AnyOperation]),
);

export async function runOperation<Name extends OperationName>(
  context: AdminContext,
  name: Name,
  input: InputOf<Name>,
): Promise<ResultOf<Name>> {
  return (await operations.get(name)?.run(context, input)) as ResultOf<Name>;
}
