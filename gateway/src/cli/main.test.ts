import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from './main.ts';

const commands = allOf(buildProgram(), []);

test('these are all commands with their arguments and options', () => {
  const usage = commands
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => [path, ...argumentsOf(command), ...optionsOf(command)].join(' '));
  expect(usage.toSorted()).toEqual([
    'audit --space --limit',
    'balance --space',
    'batch cancel <id> --url',
    'batch check <file> --fix --no-estimate --space',
    'batch download <id> --url -o,--output',
    'batch retry-failed <id> --url -o,--output',
    'batch submit <file> --url --watch --idempotency-key',
    'batch watch <id> --url',
    'batches list --space --settlement --limit',
    'batches requeue <id>',
    'build-logs <id> --wait --no-numbers --url',
    'builds finish <id> <succeeded|failed>',
    'builds list <project>',
    'builds start <project>',
    'config check [file]',
    'doctor',
    'grants add <amount> --space --kind --expires --note',
    'grants list --space',
    'init --force',
    'jobs cancel <id> --url',
    'jobs get <id> --url',
    'jobs wait <id> -o,--output --force --url',
    'keys create <name> --space --kind --email --creator --days',
    'keys disable <name> --space',
    'keys enable <name> --space',
    'keys expire <name> <date> --space',
    'keys limit <name> <amount|none> --space',
    'keys list --space',
    'keys models <name> <codes|all> --space',
    'keys rate <name> --space --requests --tokens',
    'keys revoke <name> --space',
    'keys rotate <name> --space --grace --days',
    'ledger correct <request-id> <amount> --note',
    'ledger list --space --limit',
    'ledger verify',
    'login --url --email --password-stdin --link --issuer --print-token',
    'logout',
    'logs <project> -f,--follow --tail --since --pod -c,--container -o,--output --grep --url',
    'media get <media_id> --url -o,--output --force',
    'members add <email> --space --nickname --role',
    'members limit <email> <amount|none> --space',
    'members link <email>',
    'members list --space',
    'members password <email> --password-stdin',
    'members remove <email> --space',
    'models',
    'operators add <email> --password-stdin',
    'operators link <email>',
    'operators list',
    'operators password <email> --password-stdin',
    'operators remove <email>',
    'projects add <id> --space --name',
    'projects list --space',
    'projects remove <id>',
    'ref upload <file> --url --track --type',
    'serve --port --host',
    'spaces block <name> <on|off>',
    'spaces create <name> --overage',
    'spaces invoice <name> --note',
    'spaces keep-responses <name> <on|off>',
    'spaces list',
    'spaces overage <name> <on|off>',
    'spaces rate <name> --requests --tokens',
    'status',
    'usage --space --month --by --csv',
    'video <prompt> --model --image --seconds --aspect --resolution --idempotency-key --wait -o,--output --force --url',
    'why <ref>',
  ]);
});

describe.each(commands)('$path', ({ command }) => {
  test('has help for itself, its arguments and its options', () => {
    const texts = [
      command.description(),
      ...command.registeredArguments.map(({ description }) => description),
      ...command.options.map(({ description }) => description),
    ];
    for (const text of texts) expect(text).toMatch(/^[a-z"].*[^.]$/);
  });
});

function allOf(command: Command, path: readonly string[]): Array<{ path: string; command: Command }> {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()];
    return [{ path: here.join(' '), command: child }, ...allOf(child, here)];
  });
}

function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
}

function optionsOf({ options }: Command): string[] {
  return options.map(({ short, long }) => (short === undefined ? String(long) : `${short},${long}`));
}
