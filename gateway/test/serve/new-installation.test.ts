/** From `tollgate init` to the first operator and a command line that is signed in, as a newcomer does it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasBrowser, takePage } from '../support/browser-pages.ts';
import { expectSound, troublesOn } from '../support/console-browser.ts';
import { EMBEDDED_FLAGS } from '../support/node-flags.ts';
import { PATIENCE } from '../support/patience.ts';
import { program } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';
import { hasTerminal, Terminal } from '../support/terminal.ts';

const EMAIL = 'kim@example.com';
const PASSWORD = 'correct horse battery staple';

describe.skipIf(!hasTerminal || !hasBrowser)('a new installation', () => {
  let folder: string;
  let server: Terminal;
  let [link, origin] = ['', ''];
  const env = { PORT: '0', OPS_PORT: '0', OPENAI_API_KEY: 'sk-test' };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-test-new-'));
    expect((await runCli(['init'], { cwd: folder })).stdout).toContain('first operator');
    const serve = [process.execPath, ...EMBEDDED_FLAGS, program(), 'serve'];
    server = new Terminal({ columns: 200, env, cwd: folder }, serve);
    await server.until(/Stop with Ctrl-C/);
    link = /First operator +(\S+)/.exec(server.text)?.[1] ?? '';
    origin = new URL(link).origin;
  });
  afterAll(async () => {
    await server?.interrupt();
    rmSync(folder, { recursive: true, force: true });
  });

  async function become(page: Page, email: string): Promise<void> {
    await page.goto(link);
    await page.getByRole('heading', { name: 'First operator' }).waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Become the operator' }).click();
  }

  test('prints a link on its terminal, with which one person becomes the operator, on a phone too', async () => {
    expect(server.text).toContain('There is no operator yet.');
    const page = await takePage({ width: 390, theme: 'dark' });
    const troubles = troublesOn(page, origin);
    await page.goto(link);
    await page.getByRole('heading', { name: 'First operator' }).waitFor();
    await expectSound({ page, troubles });
    await become(page, EMAIL);
    await page.waitForURL(/\/console\/operator/);
    expect(troubles).toEqual([]);

    const another = await takePage();
    await become(another, 'eve@example.com');
    await another.getByText('there is an operator by now').waitFor();
  });

  test('and its next steps work as they are written there', async () => {
    const commands = [...server.text.matchAll(/"npx tollgate ([^"]+)"/g)].map(([, command = '']) => command);
    expect(commands).toEqual(['spaces create NAME', 'grants add 100', 'keys create NAME']);
    for (const command of commands) {
      const ran = await runCli(command.replace('NAME', 'acme').split(' '), { cwd: folder });
      expect([ran.code, ran.stderr.replace(/^Store the key.*\n/, '')], command).toEqual([0, '']);
    }
  });

  test('keeps no link in a file, and prints none where there is no terminal', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'tollgate-test-new-'));
    const config = join(folder, 'tollgate.yaml');
    const args = [...EMBEDDED_FLAGS, program(), 'serve', '--data', elsewhere, '--config', config];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    for await (const line of createInterface({ input: child.stderr }))
      if (line.includes('tollgate is listening')) break;
    child.kill('SIGINT');
    await once(child, 'close');
    rmSync(elsewhere, { recursive: true, force: true });
    expect(printed).not.toMatch(/fo_|operator/);
    const files = readdirSync(join(folder, 'data'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(folder, 'data', name), 'utf8'));
    expect(files.join('')).not.toContain('fo_');
  });

  test('"tollgate login" opens the browser and waits until the code is confirmed there', async () => {
    const opened = join(folder, 'opened.txt');
    const browser = join(folder, 'browser.sh');
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
    chmodSync(browser, 0o755);
    const home = { XDG_CONFIG_HOME: join(folder, 'home'), BROWSER: browser };
    const login = [process.execPath, program(), 'login', '--url', origin];
    const terminal = new Terminal({ columns: 100, env: home, cwd: folder }, login);
    const [, code = ''] = await terminal.until(/this code: (\S+)/);
    await vi.waitFor(() => expect(existsSync(opened)).toBe(true), PATIENCE);
    const address = readFileSync(opened, 'utf8');
    expect(address).toBe(`${origin}/console/device?code=${code}`);

    const page = await takePage({ width: 390 });
    const troubles = troublesOn(page, origin);
    await page.goto(address);
    // Who is not signed in signs in first, and comes back.
    await page.getByLabel('E-mail').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(code, { exact: true }).waitFor();
    await page.getByText('the same as yours').waitFor();
    await expectSound({ page, troubles });
    await page.getByRole('button', { name: `Sign it in as ${EMAIL}` }).click();
    await page.getByText('The command line is signed in.').waitFor();
    expect(await terminal.ended).toBe(0);
    expect(terminal.text).toMatch(/email +kim@example\.com/);
    const spaces = await runCli(['spaces', 'list', '--url', origin], { env: home, cwd: tmpdir() });
    expect(spaces.stdout).toContain('acme');
  });

  test('a code that somebody typed wrong signs nobody in; the right one is typed by hand', async () => {
    const home = {
      XDG_CONFIG_HOME: join(folder, 'other-home'),
      SSH_CONNECTION: '203.0.113.9 1 203.0.113.10 22',
    };
    const login = [process.execPath, program(), 'login', '--url', origin, '--no-browser'];
    const terminal = new Terminal({ columns: 100, env: home, cwd: folder }, login);
    const [, code = ''] = await terminal.until(/this code: (\S+)/);
    expect(terminal.text).toContain('Open this address in a browser:');
    const page = await takePage();
    await page.goto(`${origin}/console/device`);
    await page.getByLabel('E-mail').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code in the terminal').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No command line waits with this code').waitFor();
    await page.getByLabel('Code in the terminal').fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('was rejected').waitFor();
    expect(await terminal.ended).toBe(1);
    expect(terminal.text).toContain('The sign-in was rejected');
    expect(existsSync(join(folder, 'other-home', 'tollgate', 'session.json'))).toBe(false);
  });

  test('a script gets an error at once that names its alternatives, instead of waiting for a person', async () => {
    const ran = await runCli(['login', '--url', origin], { cwd: folder });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/no terminal to show a code on.*--password-stdin.*--link/),
    ]);
  });
});
