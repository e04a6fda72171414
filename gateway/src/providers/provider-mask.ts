/**
 * Masks what must not reach a caller or a log in a provider's error messages: keys of all providers in any
 * form, account ids, addresses, and the provider's name. Every error passes through `json` or `text` before
 * it is used, so that no field is missed and nothing is truncated before it is masked.
 */
import { serviceFacts } from '../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../catalog/provider-settings.ts';
import { parseObject } from '../json/read-json.ts';
import { Redactor } from '../kernel/redactor.ts';
import { Secret } from '../kernel/secret.ts';

const TEXT_CHARACTERS_MAX = 1_000;
/** Text is truncated here before masking; the redactor finds a secret by any eight of its characters. */
const READ_CHARACTERS_MAX = 2 * TEXT_CHARACTERS_MAX;
/** Of the body of an error, and of one text in it. */
const SHOWN_BYTES_READ_MAX = 64 * 1024;
const SHOWN_CHARACTERS_MAX = 300;
const DEPTH_MAX = 16;
const VALUES_MAX = 1_000;
/** Limit for all texts of one error, so that no error is slow to read. The rest is left out. */
const ALL_CHARACTERS_MAX = 8_000;

const spokenNames = serviceFacts.flatMap(({ spokenNames: names = [] }) => names);
const masks: ReadonlyArray<[RegExp, string]> = [
  [/\b(?:https?|wss?|grpcs?|tcp|unix|redis|postgres(?:ql)?):\/\/\S+/gi, '[address]'],
  [/\bBearer\s+[^\s"',;]+|\bBasic\s+[A-Za-z0-9+/=_-]{12,}/gi, '[secret]'],
  [/\b(?:AKIA|ASIA|AROA)[A-Z0-9]{12,}\b/gi, '[secret]'],
  [/\bAIza[A-Za-z0-9_-]{20,}/gi, '[secret]'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9._-]+/g, '[secret]'],
  [
    /\b(?:sk|pk|mk|rk|at|ts|sl|fo|key|xai|gsk|hf|ghp|glpat)[-_](?=[A-Za-z_-]{0,99}[0-9*])[A-Za-z0-9_*-]{6,}/gi,
    '[secret]',
  ],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_*-]{16,}/gi, '[secret]'],
  [/\barn:aws[\w-]*:\S+/gi, '[id]'],
  [/\b(?:org|proj|user|acct|req|resp)[-_](?=[A-Za-z0-9]{0,99}[0-9A-Z])[A-Za-z0-9]{6,}/g, '[id]'],
  [/\b(?:file[-_]|files\/)(?=[A-Za-z0-9-]{0,99}[0-9])[A-Za-z0-9-]{12,}/g, '[id]'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '[id]'],
  [/(?<![\w-])(?=[A-Za-z0-9_-]{0,99}[0-9])[A-Za-z0-9_-]{40,}/g, '[secret]'],
  // Host names on the internet, in clusters and in private networks, and IP addresses.
  [
    /(?<![\w-])(?:[a-z0-9_-]{1,63}\.){1,20}(?:com|ai|net|io|dev|org|internal|intranet|local|localdomain|lan|corp|svc|home\.arpa)\b\S*/gi,
    '[address]',
  ],
  [/\b(?:localhost|ip6-localhost|host\.docker\.internal)(?::\d{1,5})?\b/gi, '[address]'],
  [/(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?!\d)/g, '[address]'],
  [new RegExp(`\\b(?:${spokenNames.join('|')})(?:'s)?\\b`, 'gi'), 'the provider'],
];

/** Also matches times of day, which have neither `::` nor eight groups. */
const IPV6 = /(?<![\w:])\[?[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}\]?(?::\d{1,5})?(?![\w:])/gi;
const IPV6_GROUPS = 8;

function maskIpv6(text: string): string {
  return text.replace(IPV6, (found) => {
    const isAddress = found.includes('::') || found.split(':').length >= IPV6_GROUPS;
    return isAddress ? '[address]' : found;
  });
}

export class ProviderMask {
  readonly #redactor: Redactor;
  readonly #hosts = new Map<string, RegExp>();

  /** The redactor is shared with the log. */
  constructor(redactor: Redactor = new Redactor()) {
    this.#redactor = redactor;
  }

  static knowing(...secrets: readonly string[]): ProviderMask {
    const redactor = new Redactor();
    for (const secret of secrets) redactor.add(new Secret(secret));
    return new ProviderMask(redactor);
  }

  /** Providers that were removed stay known, because their calls may still be running. */
  learn(providers: ReadonlyArray<Pick<ProviderSettings, 'apiKey' | 'moreKeys' | 'baseUrl'>>): void {
    for (const { apiKey, moreKeys = [], baseUrl } of providers) {
      for (const key of [apiKey, ...moreKeys]) this.#redactor.add(key);
      const { hostname } = new URL(baseUrl);
      this.#hosts.set(hostname, new RegExp(`(?<![\\w.-])${escaped(hostname)}(?::\\d{1,5})?(?![\\w-])`, 'gi'));
    }
  }

  /** Masks, then truncates. */
  text(words: string): string {
    let text = this.#redactor.redact(words.slice(0, READ_CHARACTERS_MAX));
    for (const host of this.#hosts.values()) text = text.replace(host, '[address]');
    for (const [pattern, replacement] of masks) text = text.replace(pattern, replacement);
    text = maskIpv6(text);
    return text.slice(0, TEXT_CHARACTERS_MAX);
  }

  /** A body as one short text. Long texts in it are cut first, because providers repeat prompts. */
  shown(body: Buffer): string {
    const text = body.subarray(0, SHOWN_BYTES_READ_MAX).toString('utf8');
    const value = body.length > SHOWN_BYTES_READ_MAX ? null : parseObject(text);
    const shown = value === null ? this.text(text) : JSON.stringify(shortened(this.json(value)));
    return shown.slice(0, TEXT_CHARACTERS_MAX);
  }

  /** Masks every string and key in a value. Values beyond the limits of depth and size are left out. */
  json(value: unknown): unknown {
    return this.#masked(value, { depth: 0, left: { values: VALUES_MAX, characters: ALL_CHARACTERS_MAX } });
  }

  #masked(value: unknown, at: Depth): unknown {
    if (typeof value === 'string') return this.#counted(value, at);
    if (typeof value !== 'object' || value === null) return value;
    if (at.depth >= DEPTH_MAX) return null;
    const inside = { ...at, depth: at.depth + 1 };
    if (Array.isArray(value)) {
      return value.filter(() => at.left.values-- > 0).map((item) => this.#masked(item, inside));
    }
    const entries = Object.entries(value).filter(() => at.left.values-- > 0);
    return Object.fromEntries(
      entries.map(([name, item]) => [this.#counted(name, inside), this.#masked(item, inside)]),
    );
  }

  #counted(words: string, { left }: Depth): string {
    const text = this.text(words.slice(0, left.characters));
    left.characters = Math.max(0, left.characters - Math.min(words.length, READ_CHARACTERS_MAX));
    return text;
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shortened);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
}

interface Depth {
  readonly depth: number;
  readonly left: { values: number; characters: number };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
