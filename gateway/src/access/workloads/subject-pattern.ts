/**
 * Which tokens a rule is about. A subject is exact, or ends with `*` behind a `:` or `/`, so that `team-a:*` never covers
 * `team-ab`. Nothing else is a wildcard. Pure.
 */

/** The claims of a token that rules can ask for. */
export type RuleClaims = Readonly<Record<string, string>>;

/** Every pattern that covers the subject, the closest first. A store can look for them by equality. */
export function patternsOf(subject: string): string[] {
  const patterns = [subject];
  for (let end = subject.length; end > 0; end--) {
    const last = subject[end - 1];
    if (last === ':' || last === '/') patterns.push(`${subject.slice(0, end)}*`);
  }
  return patterns;
}

/** Whether everything that `inner` covers is covered by `outer`. */
export function covers(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  return outer.endsWith('*') && inner.startsWith(outer.slice(0, -1));
}

/** Whether a token has all the claims. A value is exact, or ends with `*`. */
export function hasClaims(claims: RuleClaims, wanted: RuleClaims): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const found = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return found !== undefined && covers(value, found);
  });
}

/** Longer claims are kept by no issuer for rules, and would fill the memory. */
const CLAIM_CHARACTERS_MAX = 300;

/** The claims that are text, numbers or switches. */
export function ruleClaims(payload: Readonly<Record<string, unknown>>): RuleClaims {
  const claims: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(payload)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const text = String(value);
    if (text.length <= CLAIM_CHARACTERS_MAX) claims[name] = text;
  }
  return claims;
}
