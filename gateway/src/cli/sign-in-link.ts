/** The code is in the fragment, so that no server or proxy logs it. */
export function signInLink(consoleUrl: string, code: string): string {
  return `${consoleUrl}/sign-in#${code}`;
}
