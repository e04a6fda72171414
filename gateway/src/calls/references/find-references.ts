/**
 * Step 1 of the way of a reference through a call. The whole way, from top to bottom:
 *
 *   1. find-references.ts          checks every address in the request and finds the references among them
 *   2. prepare-with-references.ts  makes the body for a route, when that route is about to be tried
 *   3. place-references.ts         decides what the provider gets: a file id, the bytes, or a URL
 *   4. media/resolve-media.ts      opens the stored bytes; media/provider-assets.ts registers them with the provider
 *
 * The pictures of an image edit skip 2 and 3, because their bytes are always sent: open-edit.ts.
 */

import { referenceKinds } from '../../contract/reference-kinds.ts';
import type { Inline } from '../../json/placeholders.ts';
import { Problem } from '../../kernel/problem.ts';
import type { StoredReference } from '../../media/references.store.ts';
import { findMediaReference, type MediaTools } from '../../media/resolve-media.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import type { Proxies } from '../../net/proxies.ts';
import type { MediaAddress } from '../../text/media-address.ts';
import { isReference, readMediaUrl } from '../../text/read-media.ts';
import { CallReferences, type NamedReference } from './place-references.ts';

export interface CallMediaTools extends MediaTools {
  readonly guard: AddressGuard;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
  /** Called when a reference could not be registered with a provider; it is then sent in another way. */
  readonly onTrouble?: (error: unknown, reference: { id: string; provider: string }) => void;
}

/** Each reference and each host costs a lookup. No real call needs more. */
const REFERENCES_MAX = 100;
const HOSTS_MAX = 50;
const ALL_KINDS = Object.keys(referenceKinds) as Array<keyof typeof referenceKinds>;

/** Throws a Problem that names the field. `inline`: the parts of the body that are already kept outside of it. */
export async function findCallReferences(
  addresses: readonly MediaAddress[],
  spaceId: string,
  tools: CallMediaTools,
  inline?: Inline,
): Promise<CallReferences> {
  // An image that is repeated in every turn of a conversation is looked up once.
  const named = unique(addresses, ({ url, of }) => (isReference(url) ? `${of} ${url}` : null));
  const hosts = unique(addresses, ({ url }) => (isReference(url) ? null : hostPart(url)));
  if (named.length > REFERENCES_MAX) throw tooMany(named[0], `${REFERENCES_MAX} references`);
  if (hosts.length > HOSTS_MAX) throw tooMany(hosts[0], `${HOSTS_MAX} hosts`);
  const lookups = named.map(async (address): Promise<[string, NamedReference]> => {
    return [address.url, { address, reference: await findNamed(address, spaceId, tools) }];
  });
  const found = await Promise.all(lookups);
  await Promise.all(hosts.map((address) => checkHost(address, tools.guard)));
  return new CallReferences({ addresses, references: new Map(found), tools, inline });
}

async function findNamed(
  { url, of, param }: MediaAddress,
  spaceId: string,
  tools: CallMediaTools,
): Promise<StoredReference> {
  if (of === 'server') throw invalid(param, `${param} must be the URL of a server.`);
  const kinds = of === 'image' ? (['image'] as const) : ALL_KINDS;
  return await findMediaReference(url, { spaceId, param, kinds }, tools);
}

async function checkHost({ url, param }: MediaAddress, guard: AddressGuard): Promise<void> {
  // Its error lists the forms that are accepted.
  readMediaUrl(url, param);
  await guard.checkPassed(url, { param, schemes: ['http', 'https'] });
}

function unique(
  addresses: readonly MediaAddress[],
  keyOf: (address: MediaAddress) => string | null,
): MediaAddress[] {
  const found = new Map<string, MediaAddress>();
  for (const address of addresses) {
    const key = keyOf(address);
    if (key !== null && !found.has(key)) found.set(key, address);
  }
  return [...found.values()];
}

/** Addresses that start with the same scheme and host are checked once. */
function hostPart(url: string): string {
  return /^https?:\/\/[^/?#\\]*(?=[/?#]|$)/i.exec(url)?.[0] ?? url;
}

function tooMany(address: MediaAddress | undefined, what: string): Problem {
  return invalid(address?.param ?? '', `A call must not name more than ${what}.`);
}

function invalid(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}
