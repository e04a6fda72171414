/** Reads the key from the headers of a request, by the rules of the API it calls. Pure. */
import { Problem } from '../kernel/problem.ts';
import { beginsAsSecret, type KeyPrefix, prefixOf, readPrefix, type SecretPrefix } from './key-secret.ts';
import type { KeyKind } from './principal.ts';

/** An API with its own credential headers and kind of key. */
export type Surface = 'gateway' | 'messages' | 'platform' | 'organization';

interface SurfaceRules {
  readonly prefix: KeyPrefix;
  readonly apiKeyHeader: boolean;
  readonly send: string;
  /** What it accepts besides such keys; somebody else finds it. */
  readonly besides?: SecretPrefix;
}

const surfaces: Record<Surface, SurfaceRules> = {
  gateway: { prefix: 'sk', apiKeyHeader: false, send: 'Authorization: Bearer sk_…' },
  messages: { prefix: 'sk', apiKeyHeader: true, send: 'x-api-key: sk_… (or Authorization: Bearer sk_…)' },
  platform: { prefix: 'mk', apiKeyHeader: false, send: 'Authorization: Bearer mk_…' },
  organization: {
    prefix: 'mk',
    apiKeyHeader: false,
    send: 'Authorization: Bearer mk_… (or at_…)',
    besides: 'at',
  },
};

export const kindNames: Record<SecretPrefix, string> = {
  sk: 'a gateway key (sk_…)',
  mk: 'a management key (mk_…)',
  ts: 'a console session (ts_…)',
  sl: 'the code of a sign-in link (sl_…)',
  iv: 'the code of an invitation (iv_…)',
  at: 'an administration token (at_…)',
  fo: 'the code of a link for the first operator (fo_…)',
};

export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
}

/** Rejects a text that cannot be a key of the right kind, and says what to send instead. */
export function checkKeySecret(text: string, surface: Surface): void {
  const { prefix, send, besides } = surfaces[surface];
  const found = readPrefix(text);
  if (found === null) throw new Problem('invalid_credentials', { detail: whyNoKey(text, surface) });
  if (found !== prefix) {
    const taken = besides === undefined ? kindNames[prefix] : `${kindNames[prefix]} or ${kindNames[besides]}`;
    throw new Problem('invalid_credentials', {
      detail: `This is ${kindNames[found]}; this endpoint takes ${taken}. Send ${send}.`,
    });
  }
}

/** How keys of model providers begin. */
const PROVIDER_KEY = /^(?:sk-|sess-|AIza|AKIA|ASIA|gsk_|xai-|hf_|r8_|pplx-|ABSK)/;
const KEY_CHARACTERS = 49;

/** Uses only the text, so that it does not reveal whether a key exists. */
function whyNoKey(text: string, surface: Surface): string {
  const { prefix, send } = surfaces[surface];
  if (PROVIDER_KEY.test(text)) {
    return `This looks like the key of a model provider, which is not accepted here. Send ${send}.`;
  }
  if (!beginsAsSecret(text)) {
    return `This is not a key of this gateway: keys are ${prefix}_ and 46 letters and digits. Send ${send}.`;
  }
  if (text.length < KEY_CHARACTERS) {
    return `The key is cut off: it has ${text.length} of ${KEY_CHARACTERS} characters. Copy the whole key.`;
  }
  return 'The key is mistyped: its checksum does not match. Copy it again from where it was shown.';
}

/** Whether a key of this kind may call the API. */
export function opens(kind: KeyKind, surface: Surface): boolean {
  return prefixOf(kind) === surfaces[surface].prefix;
}

/** The text that was sent as a key. */
export function readKeySecret(headers: CredentialHeaders, surface: Surface): string {
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
