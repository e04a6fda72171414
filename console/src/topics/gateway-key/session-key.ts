/** The key lives as long as the tab: in its session storage, never in the address or on disk. */
const NAME = 'tollgate.gateway-key';

export function readSessionKey(): string {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

/** A browser that allows no storage forgets the key on reload, which is no reason to fail. */
export function keepSessionKey(key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
  } catch {}
}

/** What the screen may show of a key. */
export function maskKey(key: string): string {
  return key.length < 16 ? '•'.repeat(12) : `${key.slice(0, 3)}${'•'.repeat(12)}${key.slice(-4)}`;
}
