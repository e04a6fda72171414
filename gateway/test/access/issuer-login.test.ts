/** Signing the command line in through an issuer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/digest.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { Browser, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { program } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';

const EMAIL = 'ops@example.com';
const VERIFIER = 'v'.repeat(43);

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

  const startUrl = (query: Record<string, string>): string =>
    `${gateway.url}/api/console/oidc/corp/start?${new URLSearchParams(query)}`;
  const redeem = (body: object): Promise<Visit> =>
    visitor.send('POST', '/api/console/session/link', { body: { keep: 'token', ...body } });

  /** Opens the address in a browser, signs in at the issuer, and answers what the page offers. */
  async function confirm(address: string): Promise<{ page: string; link: URL; browser: Browser }> {
    const browser = new Browser('');
    const { reply } = await browser.follow(address, () => false);
    expect([reply?.status, reply?.headers.get('content-security-policy')?.includes('script')]).toEqual([
      200,
      false,
    ]);
    const page = (await reply?.text()) ?? '';
    const href = /href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { page, link: new URL(href), browser };
  }

  test('get a code for the verifier alone, once, and the browser gets no session', async () => {
    const challenge = sha256(VERIFIER);
    const { page, link, browser } = await confirm(startUrl({ cli_port: '4711', cli_challenge: challenge }));
    expect(page).toContain(`wants to sign in as ${EMAIL}`);
    expect(page).toContain(`${challenge.slice(0, 4)}-${challenge.slice(4, 8)}`.toUpperCase());
    expect(link.origin + link.pathname).toBe('http://127.0.0.1:4711/callback');
    expect(browser.cookie(gateway.url, 'tollgate_session')).toBeUndefined();
    const code = link.searchParams.get('code');
    for (const wrong of [{ code }, { code, verifier: `${VERIFIER}x` }, { code, verifier: challenge }])
      expect((await redeem(wrong)).status).toBe(401);
    const { status, body } = await redeem({ code, verifier: VERIFIER });
    expect([status, body.person.email]).toEqual([200, EMAIL]);
    const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(12);
    expect((await visitor.look({ authorization: `Bearer ${body.token}` })).status).toBe(200);
    expect((await redeem({ code, verifier: VERIFIER })).status).toBe(401);
    expect(await gateway.query({ text: 'select opened_by from sessions', values: [] })).toEqual([
      { opened_by: 'issuer:corp' },
    ]);
  });

  test('a link of an operator does not take a verifier', async () => {
    const { code } = await gateway.admin('people.link', { email: EMAIL });
    expect((await redeem({ code, verifier: VERIFIER })).status).toBe(401);
    expect((await redeem({ code })).status).toBe(200);
  });

  test.each([
    { cli_port: '4711' },
    { cli_challenge: 'a'.repeat(64) },
    { cli_port: '80', cli_challenge: 'a'.repeat(64) },
    { cli_port: '65536', cli_challenge: 'a'.repeat(64) },
    { cli_port: '4711@evil.example', cli_challenge: 'a'.repeat(64) },
    { cli_port: '4711', cli_challenge: 'short' },
  ])('%j is rejected, naming the field', async (query) => {
    const reply = await fetch(startUrl(query as Record<string, string>), { redirect: 'manual' });
    expect([reply.status, await reply.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ param: 'cli_port' }) }),
    ]);
  });

  test('tollgate login --issuer waits for the browser and keeps the session', async () => {
    const home = mkdtempSync(join(tmpdir(), 'tollgate-test-home-'));
    const child = login(['--issuer', 'corp', '--url', gateway.url], home);
    let shown = '';
    const address = await new Promise<string>((resolve) => {
      child.stderr?.on('data', (chunk) => {
        shown += chunk;
        const found = /(http:\S+cli_challenge=\S+)\n[\s\S]*\.\n$/.exec(shown)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const { page, link } = await confirm(address);
    expect(page).toContain(/shows ([0-9A-F]{4}-[0-9A-F]{4})\./.exec(shown)?.[1] ?? 'no letters');
    // A page that guesses codes does not end the wait.
    const guess = await fetch(`${link.origin}/callback?code=sl_guess`);
    expect(await guess.text()).toContain('is not signed in');
    expect((await fetch(`${link.origin}/other`)).status).toBe(404);
    const done = once(child, 'close');
    expect(await (await fetch(link)).text()).toContain('The command line is signed in.');
    expect((await done)[0]).toBe(0);
    const kept = JSON.parse(readFileSync(join(home, 'tollgate', 'session.json'), 'utf8'));
    expect((await visitor.look({ authorization: `Bearer ${kept.token}` })).body.person.email).toBe(EMAIL);
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

function login(args: readonly string[], home: string): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [program(), 'login', ...args], {
    env: { PATH, HOME, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
