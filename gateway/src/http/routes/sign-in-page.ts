/**
 * The sign-in page: through an issuer, with e-mail and password, or with the code of a one-time link. The code is after
 * the # of the link, so that it reaches no log and link previews do not consume it.
 */
import type { SignInSettings } from '../../access/sign-in-ways.ts';
import { escapeHtml, pageHeaders, writePage } from '../plain-page.ts';
import type { StaticFile, StaticFiles } from './console.ts';
import { startPath } from './issuer-sign-in.ts';

export const SIGN_IN_PATH = '/console/sign-in';

const SCRIPT = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('output').textContent = text; };
const wanted = new URLSearchParams(location.search).get('return_to');
const isOwn = (path) => {
  const { origin, pathname } = new URL(path, location.origin);
  return origin === location.origin && /^\\/console(\\/|$)/.test(pathname);
};
const returnTo = wanted !== null && URL.canParse(wanted, location.origin) && isOwn(wanted) ? wanted : '/console';
async function send(path, body) {
  say('Signing in \\u2026');
  try {
    const reply = await fetch(path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    if (reply.ok) location.replace(returnTo);
    else say((await reply.json()).detail);
  } catch { say('The server could not be reached. Try again.'); }
}
for (const link of document.querySelectorAll('a.button')) link.search = new URLSearchParams({ return_to: returnTo });
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  send('/api/console/session', Object.fromEntries(new FormData(form)));
});
const code = location.hash.slice(1);
if (code !== '') {
  history.replaceState(null, '', location.pathname + location.search);
  send('/api/console/session/link', { code });
}
`;

const PASSWORD_FORM = `<form>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
`;

/** The files of the console, plus this page. */
export function withSignInPage(files: StaticFiles, ways: SignInSettings): StaticFiles {
  const page = signInPage(ways);
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      const isPage = url.startsWith(SIGN_IN_PATH) && url.split('?', 1)[0] === SIGN_IN_PATH;
      return isPage ? page : files.find(url);
    },
  };
}

function signInPage({ password, issuers }: SignInSettings): StaticFile {
  const buttons = issuers.map(
    ({ name, label }) =>
      `<a class="button" href="${startPath(name)}">Sign in with ${escapeHtml(label)}</a>\n`,
  );
  const body = `${buttons.join('')}${password ? PASSWORD_FORM : ''}<output role="status"></output>`;
  const html = writePage({ title: 'Sign in', body, script: SCRIPT });
  return {
    status: 200,
    bytes: Buffer.from(html),
    gzipped: null,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(SCRIPT) },
  };
}
