/**
 * The sign-in page: with the code of a one-time link, or with e-mail and password. The code is after the # of the link,
 * so that it reaches no log and link previews do not consume it.
 */
import { hash } from 'node:crypto';
import type { StaticFile, StaticFiles } from '../static-files.ts';

const PATH = '/console/sign-in';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; }
main { width: min(20rem, 90vw); }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input, button { margin: .25rem 0 1rem; padding: .5rem; }
`;

const SCRIPT = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('output').textContent = text; };
async function send(path, body) {
  say('Signing in \\u2026');
  try {
    const reply = await fetch(path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    if (reply.ok) location.replace('/console');
    else say((await reply.json()).detail);
  } catch { say('The server could not be reached. Try again.'); }
}
form.addEventListener('submit', (event) => {
  event.preventDefault();
  send('/api/console/session', Object.fromEntries(new FormData(form)));
});
const code = location.hash.slice(1);
if (code !== '') {
  history.replaceState(null, '', location.pathname);
  send('/api/console/session/link', { code });
}
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Tollgate</title>
<style>${STYLE}</style>
<main>
<h1>Tollgate</h1>
<form>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
<output role="status"></output>
</main>
<script>${SCRIPT}</script>
</html>
`;

const digestOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const page: StaticFile = {
  status: 200,
  bytes: Buffer.from(PAGE),
  gzipped: null,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src ${digestOf(STYLE)}`,
      `script-src ${digestOf(SCRIPT)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
};

/** The files of the console, plus this page. */
export function withSignInPage(files: StaticFiles): StaticFiles {
  return {
    find(url) {
      const isPage = url.startsWith(PATH) && (url.length === PATH.length || url[PATH.length] === '?');
      return isPage ? page : files.find(url);
    },
  };
}
