/** What every page of the documentation has around its content: the list of pages, and the switch of languages. Pure. */
import type { TagDocs } from '../../contract/documentation/operation-docs.ts';
import { Html, html } from '../html.ts';
import { DOCS_STYLE } from './style.ts';
import { languageSwitch } from './write-code.ts';

export const DOCS_PATH = '/docs';
/** Built with the console. The pages can be read without it. */
export const SCRIPT_PATH = '/console/docs-page.js';

// The bundler rewrites a template that contains the end of a script, with a package that is not installed.
const SCRIPT = new Html(`<script type="module" src="${SCRIPT_PATH}" async></${'script'}>`);

export interface Layout {
  readonly title: string;
  readonly content: Html;
  /** Whether it has code in several languages. */
  readonly hasRequests: boolean;
  /** The path of the page, which is marked in the list. */
  readonly current: string;
  readonly groups: ReadonlyArray<{ readonly name: string; readonly tags: readonly TagDocs[] }>;
  /** The origin that the code has; the script replaces it by that of the browser. Null: it is configured. */
  readonly assumedOrigin: string | null;
}

export function pathOfTag(tag: string): string {
  return `${DOCS_PATH}/${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

export function writeLayout({ title, content, hasRequests, current, groups, assumedOrigin }: Layout): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tollgate API</title>
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
<style>${new Html(DOCS_STYLE)}</style>
${SCRIPT}
</head>
<body${assumedOrigin === null ? null : html` data-assumed-origin="${assumedOrigin}"`}>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="home" href="${DOCS_PATH}">Tollgate API</a><a class="to-pages" href="#pages">All pages</a>${
    hasRequests ? languageSwitch() : null
  }</header>
<div class="columns">
<main id="content">${content}</main>
<nav id="pages" aria-label="Pages">
<ul><li><a href="${DOCS_PATH}"${marked(current === DOCS_PATH)}>First call</a></li></ul>
${groups.map(
  ({ name, tags }) =>
    html`<p>${name}</p><ul>${tags.map(({ tag }) => {
      const path = pathOfTag(tag);
      return html`<li><a href="${path}"${marked(current === path)}>${tag}</a></li>`;
    })}</ul>`,
)}
<p>Elsewhere</p><ul><li><a href="/openapi.json">openapi.json</a></li><li><a href="/console/">Console</a></li></ul>
</nav>
</div>
</body>
</html>
`.text;
}

function marked(isCurrent: boolean): Html | null {
  return isCurrent ? html` aria-current="page"` : null;
}
