/** Runs one operation of administration, and the option that most of their commands take. */
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { type CommonFlags, option } from '../command.ts';
import { type Administration, openAdministration } from './administration.ts';

/** Taken by every command that works in one space. */
export const space = option(
  '<name>',
  'the space (TOLLGATE_SPACE; may be left out in the demo, and when there is only one)',
);

export async function administer<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  flags: CommonFlags,
): Promise<ResultOf<Name>> {
  return await withAdministration(flags, (administration) => administration.run(name, input));
}

export async function withAdministration<Result>(
  flags: CommonFlags,
  work: (administration: Administration) => Promise<Result>,
): Promise<Result> {
  const administration = await openAdministration(flags);
  try {
    return await work(administration);
  } finally {
    await administration.close();
  }
}
