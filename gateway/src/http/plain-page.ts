/** Small HTML pages without scripts: what a person sees when signing in fails. */
import { hash } from 'node:crypto';
import type { Problem } from '../kernel/problem.ts';
import { type Exchange, retryHeaders } from './exchange.ts';
import { escapeHtml } from './html.ts';

export const PAGE_STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; }
main { width: min(24rem, 90vw); }
label, input, button, .button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input, button, .button { margin: .25rem 0 1rem; padding: .5rem; }
.button { border: 1px solid; border-radius: .25rem; color: inherit; text-align: center; text-decoration: none; }
small { overflow-wrap: anywhere; opacity: .7; }
`;

/** Sends errors as a page to browsers, and as JSON to programs. */
export function failAsPage(exchange: Exchange): void {
  if (!/\btext\/html\b/.test(exchange.request.headers.accept ?? '')) return;
  exchange.failInOwnFormat = (problem) => sendProblemPage(exchange, problem);
}

function sendProblemPage(exchange: Exchange, problem: Problem): void {
  const html = writePage({
    title: 'You are not signed in',
    body: `<p>${escapeHtml(problem.detail)}</p>
<a class="button" href="/console/sign-in">Back to the sign-in page</a>
<small>${problem.code} · ${exchange.id}</small>`,
  });
  exchange.sendHtml(problem.status, html, { ...pageHeaders(''), ...retryHeaders(problem) });
}

/** `body` and `script` are HTML; texts in it must be escaped. */
export function writePage(page: { title: string; body: string; script?: string }): string {
  const { title, body, script } = page;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tollgate</title>
<style>${PAGE_STYLE}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
${script === undefined ? '' : `<script>${script}</script>\n`}</html>
`;
}

/** The policy allows only the style and the script of the page itself. */
export function pageHeaders(script: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src ${policyDigest(PAGE_STYLE)}`,
      ...(script === '' ? [] : [`script-src ${policyDigest(script)}`, "connect-src 'self'"]),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}

export function policyDigest(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
