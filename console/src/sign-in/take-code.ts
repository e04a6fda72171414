/**
 * The code after the # of the address: of a one-time link or of an invitation. It is removed from the address at once,
 * so that it stays in no history.
 */
let code: string | null = null;

// Another link in the same window is another sign-in.
addEventListener('hashchange', () => location.reload());

export function takeCode(): string {
  if (code === null) {
    code = location.hash.slice(1);
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }
  return code;
}
