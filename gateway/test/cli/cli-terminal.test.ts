/** What people see on a terminal: tables that fit it, and colour. Pipes get everything, plain. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { program } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';
import { hasTerminal, spawnOn } from '../support/terminal.ts';

const LONG = 'the key of the build server that nobody remembers creating, in the second data centre';
const WIDTH = 90;
const ESCAPE = '\u001b[';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin('keys.create', { name: LONG, kind: 'shared' });
});
afterAll(() => gateway.stop());

const place = () => ['--data', gateway.folder, '--config', gateway.configFile];

describe.skipIf(!hasTerminal)('on a terminal', () => {
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnOn({ columns: WIDTH, env }, [process.execPath, program(), ...args, ...place()]);

  test('a table fits the width, long cells are cut with …, and states have colours', async () => {
    const shown = await run(['keys', 'list']);
    const lines = stripVTControlCharacters(shown).trimEnd().split(/\r?\n/);
    const table = lines.filter((line) => !line.startsWith('The terminal'));
    for (const line of table) expect(line.length).toBeLessThanOrEqual(WIDTH);
    expect(lines.join('\n')).toMatch(/^the key\S* ?.*…/m);
    expect(shown).toContain(`${ESCAPE}32mactive${ESCAPE}39m`);
  });

  test('what does not fit is named, and a terminal that does not say its width gets everything', async () => {
    const command = [process.execPath, program(), 'keys', 'list', ...place()];
    const narrow = stripVTControlCharacters(await spawnOn({ columns: 50, env: {} }, command));
    expect(narrow).toMatch(/too narrow for [\w, ]*expires_at: -o wide shows everything\./);
    const dumb = stripVTControlCharacters(await spawnOn({ columns: 0, env: { TERM: 'dumb' } }, command));
    expect(dumb).toContain(LONG);
    expect(dumb).toContain('LAST_USED_AT');
  });

  test('with -o wide nothing is cut and no column is missing', async () => {
    const shown = stripVTControlCharacters(await run(['keys', 'list', '-o', 'wide']));
    expect(shown).toContain(LONG);
    expect(shown).toMatch(/REQUESTS_PER_MINUTE/);
  });

  test('NO_COLOR turns colours off', async () => {
    for (const args of [
      ['keys', 'list'],
      ['keys', 'get', 'ghost'],
      ['keys', '--help'],
    ])
      expect(await run(args, { NO_COLOR: '1' })).not.toContain(ESCAPE);
  });
});

test('a pipe gets everything, without colours', async () => {
  const ran = await runCli(['keys', 'list', ...place()]);
  expect(ran.stdout).toContain(LONG);
  expect(ran.stdout).not.toMatch(/…(?!\w)/);
  expect(ran.stdout).not.toContain(ESCAPE);
  expect((await runCli(['keys', 'get', 'ghost', ...place()])).stderr).not.toContain(ESCAPE);
});
