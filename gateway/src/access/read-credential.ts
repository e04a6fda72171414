/** Finds the key in the headers of a request, by the rules of the surface it calls. Pure. */
import { Problem } from '../kernel/problem.ts';
import { type KeyPrefix, prefixOf, readKeyPrefix, type SecretPrefix } from './key-secret.ts';
import type { KeyKind } from './principal.ts';

/** Which headers a surface reads and which kind of key belongs there. */
export type Surface = 'gateway' | 'messages' | 'platform';

const surfaces: Record<Surface, { prefix: KeyPrefix; apiKeyHeader: boolean; send: string }> = {
  gateway: { prefix: 'sk', apiKeyHeader: false, send: 'Authorization: Bearer sk_…' },
  messages: { prefix: 'sk', apiKeyHeader: true, send: 'x-api-key: sk_… (or Authorization: Bearer sk_…)' },
  platform: { prefix: 'mk', apiKeyHeader: false, send: 'Authorization: Bearer mk_…' },
};

export const kindNames: Record<SecretPrefix, string> = {
  sk: 'a gateway key (sk_…)',
  mk: 'a management key (mk_…)',
  ts: 'a console session (ts_…)',
  sl: 'the code of a sign-in link (sl_…)',
};

export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
}

/** Refuses a text that cannot be a key of the surface's kind, saying what to send instead. */
export function checkKeyText(text: string, surface: Surface): void {
  const { prefix, send } = surfaces[surface];
  const found = readKeyPrefix(text);
  if (found === null) {
    const short = text.length < 49 ? ' It is shorter than a whole key; was it cut when copied?' : '';
    throw new Problem('invalid_credentials', {
      detail: `The key is not well-formed: a key is ${prefix}_ and 46 letters and digits.${short}`,
    });
  }
  if (found !== prefix) {
    throw new Problem('invalid_credentials', {
      detail: `This is ${kindNames[found]}; this endpoint takes ${kindNames[prefix]}. Send ${send}.`,
    });
  }
}

/** Whether a known key may call a surface. */
export function opens(kind: KeyKind, surface: Surface): boolean {
  return prefixOf(kind) === surfaces[surface].prefix;
}

/** What was sent as a key, by the rules of the surface. */
export function readKeyText(headers: CredentialHeaders, surface: Surface): string {
  const { apiKeyHeader, send } = surfaces[surface];
  const { authorization, 'x-api-key': apiKey } = headers;
  if (apiKeyHeader && typeof apiKey === 'string' && apiKey !== '') return apiKey;
  if (authorization !== undefined && authorization !== '') {
    const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (bearer !== undefined) return bearer;
    throw new Problem('invalid_credentials', {
      detail: `The Authorization header is not of the form "Bearer <key>". Send ${send}.`,
    });
  }
  const hint =
    !apiKeyHeader && apiKey !== undefined ? ' The x-api-key header is read only by /v1/messages.' : '';
  throw new Problem('missing_credentials', { detail: `No key was sent. Send ${send}.${hint}` });
}
