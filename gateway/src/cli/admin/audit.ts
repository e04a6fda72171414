/** `audit`: who changed what. */
import { argument, byDefault, command, group, option } from '../command.ts';
import { printFields } from '../print.ts';
import { listCommand } from './admin-command.ts';
import { administer } from './administer.ts';

const list = listCommand('audit.list', {
  help: 'show who changed what, newest first: in one space, or for operators in all',
  everywhere: 'audit.all',
  options: { space: option('<name>', 'only changes of this space') },
  examples: [
    'tollgate audit list --limit 20',
    'tollgate audit list --space acme --action keys --from 2026-10-01',
  ],
  columns: ['id', 'at', 'actor', 'action', 'space', 'subject', 'change'],
  computed: { change: ({ before, after }) => change(before, after) },
  empty: 'Nothing was changed yet.',
});

const get = command({
  operations: ['audit.get', 'audit.getAny'],
  name: 'get',
  help: 'show one line with everything before and after: of one space, or for operators of all',
  examples: ['tollgate audit get 14 --space acme'],
  arguments: { line: argument('<line>', 'the number of the line') },
  options: { space: option('<name>', 'the space of the line') },
  async run({ line, space }, flags) {
    const found =
      space === undefined
        ? await administer('audit.getAny', { line }, flags)
        : await administer('audit.get', { line, space }, flags);
    printFields(found, flags);
  },
});

export const auditCommands = group({
  name: 'audit',
  help: 'show who changed what; without a command it lists',
  commands: [byDefault(list), get],
});

/** Only what is different: `month_limit: - → 5`. */
function change(before: object | null, after: object | null): string {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((name) => shown(from[name]) !== shown(to[name]))
    .map(
      (name) =>
        `${name}: ${name in from ? `${shown(from[name])} → ` : ''}${name in to ? shown(to[name]) : 'removed'}`,
    )
    .join(', ');
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function fieldsOf(value: object | null): Record<string, unknown> {
  return (value ?? {}) as Record<string, unknown>;
}
