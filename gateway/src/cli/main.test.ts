import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { operationNames } from '../contract/administration/admin-endpoints.ts';
import type { CliCommand } from './command.ts';
import { allCommands, findCommands } from './commands.ts';
import { globalOptions } from './global-options.ts';
import { buildProgram } from './main.ts';

const nothing = (): void => undefined;
const found = await findCommands();
const listed = await allCommands();
const commands = allOf(buildProgram(found, nothing), []);
const shown = commands.filter(({ path }) => listed.some(({ name }) => path.split(' ')[0] === name));

/** Commands that run no operation of administration. */
const OTHER_COMMANDS = [
  ...[
    'init',
    'serve',
    'migrate',
    'backup',
    'restore',
    'archive',
    'gc',
    'status',
    'doctor',
    'config check',
    'config schema',
    'models',
    'prices check',
    'prices import',
    'demo reset',
    'completion',
  ],
  ...['login', 'logout', 'logs', 'builds logs'],
  ...['check', 'submit', 'watch', 'download', 'cancel', 'retry-failed'].map((name) => `batches ${name}`),
  ...['video', 'jobs get', 'jobs wait', 'jobs cancel', 'references upload', 'media get'],
];

test('these are all commands with their arguments and options', () => {
  const usage = shown
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => [path, ...argumentsOf(command), ...optionsOf(command)].join(' '))
    .map((line) => line.replace(' --limit --all -o,--output --csv', ' LIST'));
  expect(usage.toSorted()).toEqual([
    'alerts add <name> <webhook|slack|email> <address> --space --events',
    'alerts add-operator <name> <webhook|slack|email> <address> --events',
    'alerts deliveries --space --state --event LIST',
    'alerts deliveries-operator --state --event LIST',
    'alerts list --space LIST',
    'alerts list-operator LIST',
    'alerts redeliver <id> --space',
    'alerts redeliver-operator <id>',
    'alerts remove <id> --space',
    'alerts remove-operator <id>',
    'alerts set --space --limits --balance --balance-percent --expiry',
    'alerts settings --space',
    'alerts test <id> --space',
    'alerts test-operator <id>',
    'aliases list --space LIST',
    'aliases remove <name> --space',
    'aliases set <name> <model> --space',
    'apply -f,--file --secrets',
    'archive <month> --to --keep',
    'audit get <line> --space',
    'audit list --space --actor --action --subject --from --until LIST',
    'backup <file|folder>',
    'balance --space',
    'batches cancel <id>',
    'batches check <file> --fix --no-estimate --space --key',
    'batches download <id> -o,--output',
    'batches get <id> --space',
    'batches list --space --status --model --email --from --until --settlement LIST',
    'batches quarantined LIST',
    'batches requeue <id>',
    'batches retry-failed <id> -o,--output',
    'batches submit <file> --watch --idempotency-key',
    'batches watch <id>',
    'budgets add <name> --space --amount --window --hard --key --member --model --end-user --session --tags --per',
    'budgets change <budget> --space --new-name --amount --hard',
    'budgets decide <id> <decision> --space --amount',
    'budgets get <budget> --space',
    'budgets list --space LIST',
    'budgets remove <budget> --space',
    'budgets request <budget> --space --units --value --note',
    'budgets requests --space --state LIST',
    'budgets values <budget> --space LIST',
    'builds finish <id> <succeeded|failed> --space',
    'builds list <project> --space LIST',
    'builds logs <id> --wait --no-numbers',
    'builds start <project> --space',
    'completion <bash|zsh|fish>',
    'config check [file] --live',
    'config schema',
    'demo reset --empty',
    'doctor',
    'gc --dry-run',
    'grants add <amount> --space --kind --expires --note',
    'grants list --space --kind LIST',
    'init --force',
    'inspect job <id> --space',
    'inspect jobs --space --status --model --email --from --until LIST',
    'inspect media --space --email LIST',
    'inspect references --space --kind --email LIST',
    'installation config',
    'installation health',
    'installation processes',
    'installation version',
    'invitations create <email> --space --role',
    'invitations list --space LIST',
    'invitations revoke <id> --space',
    'invoices list --space --from --until LIST',
    'jobs cancel <id>',
    'jobs get <id>',
    'jobs wait <id> -o,--output --force',
    'keys create <name> --space --kind --email --creator --days --limit',
    'keys disable <name> --space',
    'keys enable <name> --space',
    'keys expire <name> <date> --space',
    'keys get <name> --space',
    'keys limit <name> <amount|none> --space',
    'keys list --space --kind --state --email --search LIST',
    'keys models <name> <codes|all> --space',
    'keys rate <name> --space --requests --tokens',
    'keys revoke <name> --space',
    'keys rotate <name> --space --grace --days',
    'keys tags <name> <tags|none> --space',
    'keys usage --space --month LIST',
    'ledger correct <request-id> <amount> --note',
    'ledger forgive <space> --ref --model --note',
    'ledger list --space --kind --from --until LIST',
    'ledger verify',
    'login --email --password-stdin --link --issuer --no-browser --print-token',
    'logout',
    'logs <project> -f,--follow --tail --since --pod -c,--container -o,--output --grep',
    'media get <media_id> -o,--output --force',
    'members add <email> --space --nickname --role',
    'members expire <email> <date|none> --space',
    'members limit <email> <amount|none> --space',
    'members link <email>',
    'members list --space --role --search LIST',
    'members models <email> <codes|all> --space',
    'members nickname <email> <name> --space',
    'members password <email> --password-stdin',
    'members rate <email> --space --requests --tokens',
    'members remove <email> --space --keep-tokens',
    'members role <email> <admin|member> --space --keep-tokens',
    'members tags <email> <tags|none> --space',
    'migrate --plan',
    'models --space --key',
    'operators add <email> --password-stdin',
    'operators link <email>',
    'operators list LIST',
    'operators password <email> --password-stdin',
    'operators remove <email> --keep-tokens',
    'plan -f,--file --exit-code --example',
    'prices check --days',
    'prices import <file> --from --also --sheet --model --all --write --sheet-version --starting --as-of --source',
    'prices missing --from',
    'projects add <id> --space --name',
    'projects give <ids> --space',
    'projects ids --space LIST',
    'projects list --space LIST',
    'projects release <ids> --space',
    'projects remove <project> --space',
    'projects rename <project> <name> --space',
    'reconcile <file> --provider --from --until --project --names --tolerance --calls',
    'references upload <file> --track --type',
    'reports focus --space --month LIST',
    'reports margin --month --by --units-per-currency --csv',
    'requests get <id> --space',
    'requests list --space --status --model --key --key-id --email --endpoint --from --until --id --min-cost LIST',
    'restore <file|folder>',
    'serve --port --host --processes --role',
    'spaces block <name> <on|off>',
    'spaces create <name> --overage',
    'spaces get <name>',
    'spaces hard-limits <name> <on|off>',
    'spaces invoice <name> --note',
    'spaces keep-responses <name> <on|off>',
    'spaces list --search LIST',
    'spaces models <name> LIST',
    'spaces overage <name> <on|off>',
    'spaces overview <name>',
    'spaces rate <name> --requests --tokens',
    'spaces unpriced <name> <on|off>',
    'statement --space --month --csv',
    'status',
    'tokens create <name> --space --access --days',
    'tokens create-operator <name> --access --days',
    'tokens list --space --owner LIST',
    'tokens list-operator --owner --everywhere LIST',
    'tokens revoke <id> --space',
    'tokens revoke-operator <id>',
    'usage --space --month --by --and --csv --dimensions',
    'video <prompt> --model --image --seconds --aspect --resolution --idempotency-key --wait -o,--output --force',
    'why <ref>',
    'workloads add <issuer> <subject> --space --key --claims',
    'workloads give <issuer> <subjects> --space',
    'workloads list --space --key LIST',
    'workloads release <id> --space',
    'workloads remove <id> --space',
    'workloads subjects --space LIST',
  ]);
});

test('every operation of administration has a command, and every administrative command an operation', () => {
  const leaves = leavesOf(listed, []);
  const operations = new Set(leaves.flatMap(({ command }) => command.operations));
  expect([...operations].toSorted()).toEqual(operationNames.toSorted());
  const others = leaves.filter(({ command }) => command.operations.length === 0).map(({ path }) => path);
  expect(others.toSorted()).toEqual(OTHER_COMMANDS.toSorted());
});

describe.each(shown)('$path', ({ command }) => {
  test('has help for itself, its arguments and its options', () => {
    const texts = [
      command.description(),
      ...command.registeredArguments.map(({ description }) => description),
      ...command.options.map(({ description }) => description),
    ];
    for (const text of texts) expect(text).toMatch(/^[a-z"].*[^.]$/);
  });

  test('has an example in its help, and the options that every command takes', () => {
    const help = helpOf(command);
    expect(help).toMatch(/\nExamples:\n {2}\S/);
    for (const [flags] of globalOptions) expect(help).toContain(flags);
  });
});

test.each(leavesOf(listed, []))('every example of $path can be typed as it is', async (leaf) => {
  for (const example of leaf.command.examples) {
    let started = 0;
    const program = buildProgram(found, () => void started++);
    const words = wordsOf(/tollgate [^|<>)]*/.exec(example)?.[0] ?? '');
    expect(`${words.slice(1).join(' ')} `).toContain(`${leaf.path} `);
    await program.parseAsync(['node', ...words]);
    expect(started, example).toBe(1);
  }
});

test('audit without a command lists, also with the options of the list', async () => {
  for (const args of [['audit'], ['audit', '--space', 'acme', '--limit', '1']]) {
    let started = 0;
    const program = buildProgram(found, () => void started++);
    await program.parseAsync(['node', 'tollgate', ...args]);
    expect(started).toBe(1);
  }
});

test.each([
  ['batch', 'watch', 'batch_1'],
  ['batch', 'list'],
  ['build-logs', 'bld_1'],
  ['ref', 'upload', 'cat.png'],
])('the former name %s %s still works, and no help shows it', async (...args) => {
  let started = 0;
  const program = buildProgram(found, () => void started++);
  await program.parseAsync(['node', 'tollgate', ...args]);
  expect(started).toBe(1);
  expect(helpOf(program)).not.toMatch(new RegExp(`^ {2}${args[0]} `, 'm'));
});

test.each(found)('$command.name is loaded alone when it is typed', async ({ command }) => {
  const alone = await findCommands(command.name);
  expect(alone.map((one) => one.command.name)).toEqual([command.name]);
});

function allOf(command: Command, path: readonly string[]): Array<{ path: string; command: Command }> {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()];
    return [{ path: here.join(' '), command: child }, ...allOf(child, here)];
  });
}

function leavesOf(
  list: readonly CliCommand[],
  above: readonly string[],
): Array<{ path: string; command: CliCommand }> {
  return list.flatMap((command) => {
    const path = [...above, command.name];
    return command.commands.length === 0
      ? [{ path: path.join(' '), command }]
      : leavesOf(command.commands, path);
  });
}

/** With what is printed before and after it. */
function helpOf(command: Command): string {
  let text = '';
  const writeOut = (part: string): void => {
    text += part;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return text;
}

/** As a shell splits them; only single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
}

function optionsOf({ options }: Command): string[] {
  return options.map(({ short, long }) => (short === undefined ? String(long) : `${short},${long}`));
}
