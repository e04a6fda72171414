import type { Command } from 'commander';
import { administer, flagsOf } from './administer.ts';
import { printJson, printRows, type Row } from './print.ts';

interface AuditFlags {
  readonly space?: string;
  readonly limit?: string;
}

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('show who changed what, the newest first')
    .option('--space <name>', 'only of this space')
    .option('--limit <lines>', 'how many', '20')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<AuditFlags>(command);
      const { space, limit } = flags;
      const rows = await administer<Row[]>('audit.list', { space, limit }, flags);
      if (flags.json) printJson(rows);
      else
        printRows(
          rows.map(({ before, after, ...row }) => ({ ...row, change: change(before, after) })),
          { json: false, empty: 'Nothing was changed yet.' },
        );
    });
}

/** Only what is different: `month_limit: none → 5`. */
function change(before: unknown, after: unknown): string {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((name) => from[name] !== to[name])
    .map((name) => `${name}: ${name in from ? `${from[name]} → ` : ''}${to[name] ?? 'gone'}`)
    .join(', ');
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
