import type { Command } from 'commander';
import { administer, administerAndPrint, type CommonFlags, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';

interface KeyFlags {
  readonly space?: string;
  readonly kind: string;
  readonly name?: string;
  readonly email?: string;
  readonly creator?: string;
  readonly days?: string;
  readonly grace?: string;
}

interface RateFlags {
  readonly space?: string;
  readonly requests?: string;
  readonly tokens?: string;
}

const SPACE = ['--space <name>', 'the space (may be left out when there is only one)'] as const;

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('the keys of a space');
  keys
    .command('create <name>')
    .description('create a key (shown once)')
    .option(...SPACE)
    .option('--kind <kind>', 'personal (with --email), shared, or management (mk_)', 'shared')
    .option('--email <email>', 'the owner of a personal key')
    .option('--creator <email>', 'the member who asked for it, named in usage reports')
    .option('--days <days>', 'how long it is valid', '90')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      const { space, kind, email, creator, days } = flags;
      await showSecret('keys.create', { name, space, kind, email, creator, days }, flags);
    });
  keys
    .command('list')
    .description('list the keys of a space, masked')
    .option(...SPACE)
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      const rows = await administer<Row[]>('keys.list', { space: flags.space }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No keys yet. Create one with "tollgate keys create NAME".',
      });
    });
  keys
    .command('rotate <name>')
    .description(
      'issue a new secret for a key; the old one keeps working for a while, and its spending stays',
    )
    .option(...SPACE)
    .option('--grace <hours>', 'how long the old secret keeps working', '24')
    .option('--days <days>', 'how long the new one is valid', '90')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      const { space, grace, days } = flags;
      await showSecret('keys.rotate', { name, space, grace, days }, flags);
    });
  keys
    .command('rate <name>')
    .description('limit what a key may ask in a minute; none takes a limit away')
    .option(...SPACE)
    .option('--requests <number|none>', 'requests a minute')
    .option('--tokens <number|none>', 'tokens a minute')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<RateFlags>(command);
      const { space, requests, tokens } = flags;
      await administerAndPrint('keys.rate', { name, space, requests, tokens }, flags);
    });
  addChange(keys, 'revoke <name>', 'refuse a key from now on, everywhere', 'keys.revoke', () => ({}));
  addChange(keys, 'disable <name>', 'refuse a key until it is enabled again', 'keys.disable', () => ({}));
  addChange(keys, 'enable <name>', 'accept a disabled key again', 'keys.enable', () => ({}));
  addChange(
    keys,
    'expire <name> <date>',
    'set when a key expires: the end of a day (YYYY-MM-DD, KST), a moment, or now',
    'keys.expire',
    (date) => ({ date }),
  );
  addChange(
    keys,
    'limit <name> <amount|none>',
    'limit the units a key may spend in a month, or take the limit away',
    'keys.limit',
    (amount) => ({ amount }),
  );
  addChange(
    keys,
    'models <name> <codes|all>',
    'let a key use only these models (a,b,c), or all again',
    'keys.models',
    (models) => ({ models }),
  );
}

/** A change of one key, with at most one value. */
function addChange(
  keys: Command,
  form: string,
  description: string,
  admin: string,
  argsOf: (value: string) => Record<string, string>,
): void {
  keys
    .command(form)
    .description(description)
    .option(...SPACE)
    .action(async (name: string, ...rest: unknown[]) => {
      const flags = flagsOf<KeyFlags>(rest.at(-1) as Command);
      await administerAndPrint(admin, { name, space: flags.space, ...argsOf(String(rest[0])) }, flags);
    });
}

async function showSecret(
  admin: string,
  args: Record<string, string | undefined>,
  flags: CommonFlags,
): Promise<void> {
  printFields(await administer<Row>(admin, args, flags), { json: flags.json ?? false });
  if (!flags.json) process.stderr.write('Keep the key now: only a digest of it is stored.\n');
}
