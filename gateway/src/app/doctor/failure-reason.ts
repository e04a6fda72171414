/** Why a check failed, in words that an operator can act on. The code of the system stays, because people search for it. */
import { DatabaseRefused, DatabaseUnavailable } from '../../database/database.ts';

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'the connection gets no answer',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the network cannot be reached from here',
  ECONNRESET: 'the connection was closed from the other side',
  EPROTO: 'it does not speak TLS there: is it http instead of https?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: is it http instead of https?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there: is it http instead of https?',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted here: set NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted here: set NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted here: set NODE_EXTRA_CA_CERTS',
};

/** The names of errors of S3, and of the library that finds credentials. */
const STORE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  NotFound: 'there is no such bucket',
  AccessDenied: 'the credentials have too few rights',
  Forbidden: 'the credentials have too few rights',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret access key is wrong',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: 'the bucket is in another region',
  AuthorizationHeaderMalformed: 'the bucket is in another region',
  CredentialsProviderError: 'no credentials were found',
};

/** How answers of Redis begin. */
const REDIS: Readonly<Record<string, string>> = {
  WRONGPASS: 'does not accept the user or password (WRONGPASS)',
  NOAUTH: 'wants a password, and the address has none (NOAUTH)',
  'Socket closed': 'closed the connection: is it Redis, and does it want rediss:// (TLS)?',
};

const DEPTH_MAX = 8;
const LENGTH_MAX = 300;

export function reasonOf(error: unknown): string {
  const chain = causesOf(error);
  const [first] = chain;
  // These say it already, with the address.
  if (first instanceof DatabaseUnavailable || first instanceof DatabaseRefused) return first.message;
  for (const { code = '' } of chain)
    if (NETWORK[code] !== undefined) return `cannot be reached: ${NETWORK[code]} (${code})`;
  for (const { name } of chain) if (STORE[name] !== undefined) return `${STORE[name]} (${name})`;
  const { message, name } = first ?? { message: String(error), name: '' };
  const answer = Object.keys(REDIS).find((start) => message.startsWith(start));
  if (answer !== undefined) return REDIS[answer] as string;
  return (message.split('\n')[0] || name).slice(0, LENGTH_MAX);
}

/** The error and what caused it. Attempts at several addresses fail together; the first one is as good as any. */
function causesOf(error: unknown): Array<Error & { code?: string }> {
  const chain: Array<Error & { code?: string }> = [];
  let at: unknown = error;
  while (at instanceof Error && chain.length < DEPTH_MAX) {
    chain.push(at as Error & { code?: string });
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined);
  }
  return chain;
}
