/** What README.md and the first screen of the demo tell a newcomer to type works when it is typed. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makePlace, type TestPlace } from '../support/engines.ts';
import { administerAt } from '../support/gateway.ts';
import { EMBEDDED_FLAGS } from '../support/node-flags.ts';
import { PATIENCE } from '../support/patience.ts';
import { program } from '../support/program.ts';
import { hasTerminal, Terminal } from '../support/terminal.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const PASSWORD = 'correct horse battery staple';

/** Commands that this test does itself: it starts the demo, and it is one of the tests. */
const STARTS = ['npm install && npm start', 'npm install && npm test'];

/** The blocks of README.md for a shell, without comments. A command may have several lines. */
const commands = [...README.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', '').split('\n'))
  .map((line) =>
    line
      .replace(/\s+#.*$/, '')
      .replaceAll(/\s{2,}/g, ' ')
      .trim(),
  )
  .filter((line) => line !== '' && !STARTS.includes(line));

/** `npx tollgate …` in quotation marks or brackets, as sentences name commands. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/["(`](?:[\w ]+: )?(npx tollgate [^"()`]+)["`)]/g)].map(([, command = '']) => command);

describe.skipIf(!hasTerminal)('a newcomer', () => {
  let place: TestPlace;
  let demo: Terminal;
  let [banner, origin, key, managementKey] = ['', '', '', ''];

  beforeAll(async () => {
    place = await makePlace('embedded');
    for (const name of ['docs', 'package.json']) symlinkSync(join(ROOT, name), join(place.folder, name));
    const env = { PORT: '0', OPS_PORT: '0', TOLLGATE_DATA: join(place.folder, 'data') };
    const serve = [process.execPath, ...EMBEDDED_FLAGS, program(), 'serve'];
    demo = new Terminal({ columns: 100, env, cwd: place.folder }, serve);
    await demo.until(/Stop with Ctrl-C/);
    banner = demo.text;
    origin = /running at (\S+)/.exec(banner)?.[1] ?? '';
    key = /sk_\w+/.exec(banner)?.[0] ?? '';
    managementKey = /mk_\w+/.exec(banner)?.[0] ?? '';
    const admin = administerAt(env.TOLLGATE_DATA);
    // Its data is there when the last of its spaces is.
    await vi.waitFor(async () => expect((await admin('spaces.list', {})).data).toHaveLength(3), PATIENCE);
  });
  afterAll(async () => {
    await demo?.interrupt();
    await place?.remove();
  });

  /** Types a line as it stands, with the values of this demo instead of those that stand for them. */
  async function type(line: string): Promise<{ code: number | null; text: string }> {
    const typed = line
      .replaceAll('http://localhost:8080', origin)
      .replaceAll(/sk_…/g, key)
      .replaceAll(/mk_…/g, managementKey)
      .replaceAll(/\bNAME\b/g, `name-${crypto.randomUUID().slice(0, 8)}`);
    const shell = `npx() { shift; '${process.execPath}' '${program()}' "$@"; }; set -e; ${typed}`;
    const env = { TOLLGATE_DATA: join(place.folder, 'data'), TOLLGATE_KEY: key, CURL_HOME: place.folder };
    const terminal = new Terminal({ columns: 100, env, cwd: place.folder }, ['bash', '-c', shell]);
    if (/ operators add /.test(line)) {
      await terminal.until(/Password: /);
      terminal.type(`${PASSWORD}\r`);
      await terminal.until(/Repeat the password: /);
      terminal.type(`${PASSWORD}\r`);
    }
    return { code: await terminal.ended, text: terminal.text };
  }

  test('finds commands in README.md', () => {
    expect(commands.filter((line) => line.startsWith('npx tollgate')).length).toBeGreaterThan(10);
    expect(commands.filter((line) => line.startsWith('curl')).length).toBeGreaterThan(2);
  });

  test.each(commands)('types what README.md says: %s', async (line) => {
    const { code, text } = await type(line);
    expect(code, text).toBe(0);
    expect(text).not.toMatch(/"error"|tollgate: /);
  });

  test('types what the first screen and "status" say', async () => {
    const status = await type('npx tollgate status');
    expect(status.text).not.toContain('none yet');
    expect(status.text).toMatch(/Gateway key +sk_…\w{4} and \d+ more/);
    expect(status.text).toMatch(/Management key +mk_…\w{4}/);
    const said = [...new Set([...namedIn(banner), ...namedIn(status.text), ...namedIn(README)])];
    expect(said).toEqual(
      expect.arrayContaining([
        'npx tollgate keys create NAME',
        'npx tollgate keys list',
        'npx tollgate models',
        'npx tollgate members link demo@example.com',
      ]),
    );
    for (const command of said) {
      // These change the installation that the newcomer looks at.
      if (/demo reset|tollgate (?:init|serve)$/.test(command)) continue;
      const { code, text } = await type(command);
      expect(code, `${command}\n${text}`).toBe(0);
    }
  });

  test('pastes the first call of the screen, and of "status"', async () => {
    for (const screen of [banner, (await type('npx tollgate status')).text]) {
      const call = /^ {2}curl [\s\S]*?'$/m.exec(screen)?.[0] ?? '';
      const { code, text } = await type(call);
      expect([code, text]).toEqual([0, expect.stringContaining('It works')]);
    }
  });
});
