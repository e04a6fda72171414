/** Behind the #, where it reaches no log on the way. */
export function signInLink(consoleUrl: string, code: string): string {
  return `${consoleUrl}/sign-in#${code}`;
}
