/**
 * Signs the command line in through an issuer (RFC 8252): the person opens an address in their browser, and the server
 * sends the browser to a port of this machine with a code. The code is worthless without the verifier, which never
 * leaves this process except to the server.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingsError } from '../../app/settings.ts';
import { COMMAND_LINE_PATH, shownChallenge } from '../../contract/command-line-sign-in.ts';
import type { ConsoleSession } from '../../contract/console.ts';
import type { SignInWays } from '../../contract/sign-in.ts';
import { sha256 } from '../../kernel/digest.ts';
import { MINUTE_MS } from '../../kernel/durations.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { AnswerError } from './answer-error.ts';
import { callConsole } from './console-client.ts';

const VERIFIER_CHARACTERS = 43;
/** As long as the server waits for the issuer. */
const WAIT_MS = 10 * MINUTE_MS;
const CODES_TRIED_MAX = 5;

/** `say` shows where to go; it must not be standard output, which may be for the token. */
export async function signInWithIssuer(
  url: string,
  name: string,
  say: (line: string) => void,
): Promise<ConsoleSession> {
  const startUrl = await findStartUrl(url, name);
  const verifier = randomBase62(VERIFIER_CHARACTERS);
  const challenge = sha256(verifier);
  const listener = new CodeListener((code) =>
    callConsole<ConsoleSession>(url, {
      ...{ method: 'POST', path: '/api/console/session/link' },
      body: { code, verifier, keep: 'token' },
    }),
  );
  const port = await listener.start();
  try {
    const query = new URLSearchParams({ cli_port: String(port), cli_challenge: challenge });
    say(`Open this address in the browser of this machine:\n\n  ${startUrl}?${query}\n`);
    say(`Continue there if the page shows ${shownChallenge(challenge)}.`);
    return await listener.signedIn;
  } finally {
    listener.stop();
  }
}

async function findStartUrl(url: string, name: string): Promise<string> {
  const { issuers } = await callConsole<SignInWays>(url, { method: 'GET', path: '/api/console/sign-in' });
  const issuer = issuers.find((one) => one.name === name);
  if (issuer !== undefined) return issuer.start_url;
  const known = issuers.map((one) => one.name).join(', ') || 'none';
  throw new SettingsError(`${url} has no issuer ${name}; its issuers are: ${known}.`);
}

/** Waits on a loopback port for a code that the server accepts. */
class CodeListener {
  readonly signedIn: Promise<ConsoleSession>;
  readonly #server: Server;
  readonly #settle: PromiseWithResolvers<ConsoleSession>;
  readonly #redeem: (code: string) => Promise<ConsoleSession>;
  #timer: NodeJS.Timeout | null = null;
  #tried = 0;

  constructor(redeem: (code: string) => Promise<ConsoleSession>) {
    this.#redeem = redeem;
    this.#settle = Promise.withResolvers();
    this.signedIn = this.#settle.promise;
    // It may fail before anyone waits for it.
    this.signedIn.catch(() => undefined);
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const code = searchParams.get('code');
      if (pathname !== COMMAND_LINE_PATH || code === null) {
        response.writeHead(404).end();
        return;
      }
      this.#answer(code).then(
        (text) => response.writeHead(200, HEADERS).end(`${text}\n`),
        () => response.destroy(),
      );
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    this.#timer = setTimeout(() => {
      this.#settle.reject(new SettingsError('Nobody signed in within 10 minutes. Run the command again.'));
    }, WAIT_MS);
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Any page can send codes here, so one that the server rejects does not end the wait, but many do. */
  async #answer(code: string): Promise<string> {
    if (++this.#tried > CODES_TRIED_MAX) return 'Too many codes were sent. Run the command again.';
    try {
      this.#settle.resolve(await this.#redeem(code));
      return 'The command line is signed in. You can close this page.';
    } catch (error) {
      const rejected = error instanceof AnswerError && error.status === 401;
      if (!rejected || this.#tried === CODES_TRIED_MAX) this.#settle.reject(error);
      return `The command line is not signed in. ${(error as Error).message}`;
    }
  }
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  connection: 'close',
};
