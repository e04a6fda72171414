/** The first page: code for the first call, what holds everywhere, and a list of all endpoints. Pure. */

import { KEY_VARIABLE } from '../../contract/code-text.ts';
import type { TagDocs } from '../../contract/documentation/operation-docs.ts';
import { samples } from '../../contract/samples.ts';
import { type Html, html } from '../html.ts';
import { markdown } from './markdown.ts';
import { codeBlock } from './write-code.ts';
import type { Resolve } from './write-fields.ts';
import { pathOfTag } from './write-layout.ts';
import { anchorOf, type DocumentedOperation, errorsOf, methodAndPath } from './write-operation.ts';

export interface StartPage {
  readonly origin: string;
  /** A model that every reader can call; null: readers insert one of theirs. */
  readonly model: string | null;
  readonly introduction: string;
  readonly groups: ReadonlyArray<{ readonly name: string; readonly tags: readonly TagDocs[] }>;
  readonly operationsOf: (tag: TagDocs) => readonly DocumentedOperation[];
  readonly resolve: Resolve;
  /** The answer that the endpoints share. */
  readonly anyAnswer: Parameters<typeof errorsOf>[1];
}

export function writeStart(page: StartPage): Html {
  const { origin, model, introduction, groups, operationsOf, resolve, anyAnswer } = page;
  const facts = { origin, key: null, model: model ?? 'MODEL' };
  return html`<h1>First call</h1>
<p>Set <code>${KEY_VARIABLE}</code> to a gateway key, and run one of these.${
    model === null
      ? html` Replace <code>MODEL</code> with a code that <code>GET /v1/models</code> lists for your key.`
      : null
  }</p>
${codeBlock(`export ${KEY_VARIABLE}=sk_…`)}
${samples
  .filter(({ id }) => id !== 'env')
  .map(
    ({ id, label, note, write }) =>
      html`<section id="first-call-${id}"><h2>${label}</h2><p>${note}</p>${codeBlock(write(facts))}</section>`,
  )}
<section><h2>About</h2>${markdown(introduction)}
<p>Examples on these pages use the simulated models of the demo, whose codes begin with <code>sim-</code>. <a href="/openapi.json">openapi.json</a> has everything for generators.</p></section>
<section><h2 id="endpoints">All endpoints</h2>
<p class="filter" hidden><label>Search <input type="search" placeholder="batches, POST, /v1/usage …"></label></p>
${groups
  .flatMap(({ tags }) => tags)
  .map(
    (tag) =>
      html`<section class="tag"><h3><a href="${pathOfTag(tag.tag)}">${tag.tag}</a></h3><ul class="index">${operationsOf(
        tag,
      ).map(
        (operation) =>
          html`<li><a href="${pathOfTag(tag.tag)}#${anchorOf(operation)}">${methodAndPath(operation.endpoint)}</a><span>${String(
            operation.written.summary,
          )}</span></li>`,
      )}</ul></section>`,
  )}</section>
<section><h2 id="errors-of-every-endpoint">Errors of every endpoint</h2><ul class="fields">${errorsOf(
    'default',
    anyAnswer,
    resolve,
  )}</ul></section>`;
}
