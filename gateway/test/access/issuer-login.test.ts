/** Signing the command line in through an issuer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { Browser, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { program } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';

const EMAIL = 'ops@example.com';

describe.each(oneEngine('postgres', 'command line'))('the command line and an issuer on %s', (engine) => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    issuer = await startIssuer();
    issuer.account = { sub: 'ops', email: EMAIL, email_verified: true };
    const client = { client_id: issuer.clientId, client_secret: issuer.clientSecret };
    const corp = { name: 'corp', label: 'Corp', issuer: issuer.url, ...client };
    const config = changeConfig(testConfig(), { sign_in: { password: false, issuers: [corp] } });
    gateway = await startGateway({ engine, config });
    issuer.register(gateway.url, ['corp']);
    await gateway.admin('operators.add', { email: EMAIL, password: 'correct horse battery' });
    visitor = new ConsoleVisitor(gateway.url, '');
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });

  test('tollgate login --issuer leads through the issuer to the code, and keeps the session of that sign-in', async () => {
    const home = mkdtempSync(join(tmpdir(), 'tollgate-test-home-'));
    const { PATH = '', HOME = '' } = process.env;
    const args = [program(), 'login', '--issuer', 'corp', '--url', gateway.url];
    const child = spawn(process.execPath, args, {
      env: { PATH, HOME, XDG_CONFIG_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let shown = '';
    const address = await new Promise<string>((resolve) => {
      child.stderr.on('data', (chunk) => {
        shown += chunk;
        const found = /(http:\S+)\n[\s\S]*this code: \S+\n/.exec(shown)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const done = once(child, 'close');
    const code = /this code: (\S+)/.exec(shown)?.[1] ?? '';
    const browser = new Browser('');
    const { url } = await browser.follow(address, (next) => next.includes('/console/device'));
    expect(new URL(url, gateway.url).search).toBe(`?code=${code}`);
    const cookie = `tollgate_session=${browser.cookie(gateway.url, 'tollgate_session')}`;
    const { csrf } = (await visitor.look({ cookie })).body;
    const headers = { cookie, 'x-csrf-token': csrf };
    const body = { user_code: code, allow: true };
    expect((await visitor.send('POST', '/api/console/device/decide', { body, headers })).status).toBe(200);
    expect((await done)[0]).toBe(0);
    const kept = JSON.parse(readFileSync(join(home, 'tollgate', 'session.json'), 'utf8'));
    const { body: session } = await visitor.look({ authorization: `Bearer ${kept.token}` });
    expect(session.person.email).toBe(EMAIL);
    const hours = (Date.parse(session.expires_at) - Date.now()) / 3_600_000;
    expect(Math.round(hours), 'as long as a session of the issuer').toBe(12);
    expect(await gateway.query({ text: 'select distinct opened_by from sessions', values: [] })).toEqual([
      { opened_by: 'issuer:corp' },
    ]);
    rmSync(home, { recursive: true });
  });

  test('an unknown issuer is answered with those that exist', async () => {
    const { code, stderr } = await runCli(['login', '--issuer', 'ghost', '--url', gateway.url]);
    expect([code, stderr]).toEqual([
      1,
      `tollgate: ${gateway.url} has no issuer ghost; its issuers are: corp.\n`,
    ]);
  });
});
