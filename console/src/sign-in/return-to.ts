/** Where the person wanted to go: only a page of this console. */
export function returnTo(): string {
  const wanted = new URLSearchParams(location.search).get('return_to');
  if (wanted === null || !URL.canParse(wanted, location.origin)) return '/console';
  const { origin, pathname } = new URL(wanted, location.origin);
  return origin === location.origin && /^\/console(?:\/|$)/.test(pathname) ? wanted : '/console';
}
