/** `audit`: who changed what. */
import type { OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { type CommonFlags, command, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { time, wholeNumber } from '../words.ts';
import { administer } from './administer.ts';

const operations: readonly OperationName[] = ['audit.list', 'audit.all'];

export const auditCommand = command({
  name: 'audit',
  help: 'show who changed what, newest first: in one space, or for operators in all',
  operations,
  options: {
    space: option('<name>', 'only changes of this space'),
    actor: option('<name>', 'only changes by this person'),
    action: option('<name>', 'only this action, such as keys.rotate, or a kind such as keys'),
    subject: option('<name>', 'only changes of this key, member or space'),
    from: option('<date>', 'only changes from this moment on', { read: time }),
    until: option('<date>', 'only changes before this moment', { read: time }),
    limit: option('<lines>', 'how many lines to show', { read: wholeNumber, default: 20 }),
  },
  async run({ space, ...filters }, flags) {
    const { data } = await readAudit({ space, ...filters }, flags);
    if (flags.json) {
      printJson(data);
      return;
    }
    const rows = data.map(({ before, after, ...line }) => ({ ...line, change: change(before, after) }));
    printRows(rows, { empty: 'Nothing was changed yet.' });
  },
});

async function readAudit(
  { space, ...filters }: { space: string | undefined; limit: number },
  flags: CommonFlags,
): Promise<ResultOf<'audit.all'>> {
  if (space === undefined) return await administer('audit.all', filters, flags);
  return await administer('audit.list', { space, ...filters }, flags);
}

/** Only what is different: `month_limit: none → 5`. */
function change(before: object | null, after: object | null): string {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((name) => from[name] !== to[name])
    .map((name) => `${name}: ${name in from ? `${from[name]} → ` : ''}${to[name] ?? 'removed'}`)
    .join(', ');
}

function fieldsOf(value: object | null): Record<string, unknown> {
  return (value ?? {}) as Record<string, unknown>;
}
