/** `audit`: who changed what. */
import { command, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { wholeNumber } from '../words.ts';
import { administer } from './administer.ts';

export const auditCommand = command({
  name: 'audit',
  help: 'show who changed what, newest first',
  options: {
    space: option('<name>', 'only changes of this space'),
    limit: option('<lines>', 'how many lines to show', { read: wholeNumber, default: 20 }),
  },
  async run({ space, limit }, flags) {
    const lines = await administer('audit.list', { space, limit }, flags);
    if (flags.json) {
      printJson(lines);
      return;
    }
    const rows = lines.map(({ before, after, ...line }) => ({ ...line, change: change(before, after) }));
    printRows(rows, { empty: 'Nothing was changed yet.' });
  },
});

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
