/** What of the settings is secret, and how the rest of an address is shown. */
import { Secret } from '../kernel/secret.ts';
import type { Environment } from '../yaml/expand-text.ts';
import type { Settings } from './settings.ts';

/** Secrets to mask in logs, in addition to the keys of providers: passwords in URLs, credentials of the bucket and of issuers. */
export function secretsOf(settings: Settings, env: Environment): Secret[] {
  const { databaseUrl, redisUrl, proxies, signIn, alerts } = settings;
  const passwords = [databaseUrl, redisUrl].map((url) => passwordIn(url?.reveal() ?? ''));
  const texts = [...passwords, env.AWS_SECRET_ACCESS_KEY ?? ''].map((text) => new Secret(text));
  const smtp = alerts.smtp?.password ?? null;
  const issuers = signIn.issuers.map(({ clientSecret }) => clientSecret);
  return [...texts, ...proxies.secrets, ...issuers, ...(smtp === null ? [] : [smtp])];
}

function passwordIn(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
}

/** A URL without its credentials. */
export function shownAddress(url: Secret): string {
  const { protocol, host } = new URL(url.reveal());
  return `${protocol}//${host}`;
}
