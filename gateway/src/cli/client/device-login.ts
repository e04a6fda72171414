/**
 * Signs the command line in by a code that the person confirms in a browser, in whatever way they sign in there. The
 * verifier never leaves this process except to the server, so nobody else can take the session.
 */
import { hostname, platform, userInfo } from 'node:os';
import { SettingsError } from '../../app/settings.ts';
import type { ConsoleSession } from '../../contract/console.ts';
import type { DeviceSession, StartedDeviceSignIn } from '../../contract/device-sign-in.ts';
import type { SignInWays } from '../../contract/sign-in.ts';
import { sha256 } from '../../kernel/digest.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { pause, systemClock } from '../../kernel/time.ts';
import { openBrowser } from '../open-browser.ts';
import { AnswerError } from './answer-error.ts';
import { callConsole } from './console-client.ts';

const VERIFIER_CHARACTERS = 43;
const MACHINE_CHARACTERS_MAX = 100;
const DEVICE = '/api/console/device';

export interface DeviceLogin {
  /** The issuer to go to at once; undefined: the person chooses how to sign in. */
  readonly issuer: string | undefined;
  /** Whether a browser may be opened. */
  readonly browser: boolean;
  /** Shows where to go; not on standard output, which may be for the token. */
  say(line: string): void;
}

export async function signInByCode(url: string, login: DeviceLogin): Promise<ConsoleSession> {
  const startUrl = login.issuer === undefined ? null : await findStartUrl(url, login.issuer);
  const verifier = randomBase62(VERIFIER_CHARACTERS);
  const started = await callConsole<StartedDeviceSignIn>(url, {
    method: 'POST',
    path: DEVICE,
    body: { machine: machineName(), challenge: sha256(verifier) },
  });
  const address = startUrl === null ? started.verification_url : throughIssuer(startUrl, started);
  const opened = login.browser && (await openBrowser(address));
  login.say(
    `${opened ? 'Your browser opens this address. If it does not, open it yourself:' : 'Open this address in a browser:'}\n\n  ${address}\n`,
  );
  login.say(`Confirm there that the page shows this code: ${started.user_code}`);
  return await waitForSession(url, verifier, started);
}

/** Until the code expires; then the server answers that it has. */
async function waitForSession(
  url: string,
  verifier: string,
  { interval, expires_in }: StartedDeviceSignIn,
): Promise<ConsoleSession> {
  const finish = { method: 'POST', path: `${DEVICE}/finish`, body: { verifier } } as const;
  for (let seconds = 0; seconds <= expires_in; seconds += interval) {
    await pause(systemClock, interval * 1_000);
    const session = await ask();
    if (session !== null) return session;
  }
  throw new SettingsError('Nobody confirmed the code in time. Run the command again.');

  /** A server that is unavailable for a moment, or asks to wait, does not end the wait. */
  async function ask(): Promise<ConsoleSession | null> {
    try {
      return (await callConsole<DeviceSession>(url, finish)).session;
    } catch (error) {
      if (error instanceof AnswerError && !mayPass(error)) throw error;
      return null;
    }
  }
}

function mayPass({ status }: AnswerError): boolean {
  return status === null || status === 429 || status >= 500;
}

async function findStartUrl(url: string, name: string): Promise<string> {
  const { issuers } = await callConsole<SignInWays>(url, { method: 'GET', path: '/api/console/sign-in' });
  const issuer = issuers.find((one) => one.name === name);
  if (issuer !== undefined) return issuer.start_url;
  const known = issuers.map((one) => one.name).join(', ') || 'none';
  throw new SettingsError(`${url} has no issuer ${name}; its issuers are: ${known}.`);
}

function throughIssuer(startUrl: string, { verification_url }: StartedDeviceSignIn): string {
  const { pathname, search } = new URL(verification_url);
  return `${startUrl}?${new URLSearchParams({ return_to: pathname + search })}`;
}

/** `kim@laptop (linux)`, for the person who confirms. */
function machineName(): string {
  const name = `${userInfo().username}@${hostname()} (${platform()})`;
  return name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, MACHINE_CHARACTERS_MAX);
}
