/**
 * The sign-in page: through an issuer, with e-mail and password, or with the code of a one-time link or an invitation.
 * The code is after the # of the link, so that it reaches no log and link previews do not consume it.
 */
import type { SignInSettings } from '../../access/sign-in-ways.ts';
import { escapeHtml, pageHeaders, writePage } from '../plain-page.ts';
import type { StaticFile, StaticFiles } from '../static-files.ts';
import { startPath } from './issuer-sign-in.ts';
import { SIGN_IN_SCRIPT } from './sign-in-script.ts';

export const SIGN_IN_PATH = '/console/sign-in';

const PASSWORD_FORM = `<form>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
`;

/** The files of the console, plus this page. */
export function withSignInPage(
  files: StaticFiles,
  { ways, publicUrl }: { ways: SignInSettings; publicUrl: string | null },
): StaticFiles {
  const page = signInPage(ways, publicUrl ?? '');
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      const isPage = url.startsWith(SIGN_IN_PATH) && url.split('?', 1)[0] === SIGN_IN_PATH;
      return isPage ? page : files.find(url);
    },
  };
}

/** `origin`: browsers come back from an issuer there, so they must leave from there too. */
function signInPage({ password, issuers }: SignInSettings, origin: string): StaticFile {
  const buttons = issuers.map(
    ({ name, label }) =>
      `<a class="button" href="${escapeHtml(origin)}${startPath(name)}">Sign in with ${escapeHtml(label)}</a>\n`,
  );
  const body = `${buttons.join('')}${password ? PASSWORD_FORM : ''}<output role="status"></output>`;
  const html = writePage({ title: 'Sign in', body, script: SIGN_IN_SCRIPT });
  return {
    status: 200,
    bytes: Buffer.from(html),
    gzipped: null,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(SIGN_IN_SCRIPT) },
  };
}
