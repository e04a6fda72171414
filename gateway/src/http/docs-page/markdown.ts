/** The Markdown of the API's descriptions as HTML: paragraphs, lists, code and emphasis. Pure. */
import { Html, html, joined } from '../html.ts';

export function markdown(text: string): Html {
  return joined(text.split(/\n{2,}/).map(block));
}

function block(text: string): Html {
  const lines = text.split('\n');
  if (!lines.every((line) => line.startsWith('- '))) return html`<p>${inline(text)}</p>`;
  return html`<ul>${lines.map((line) => html`<li>${inline(line.slice('- '.length))}</li>`)}</ul>`;
}

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g;

/** Without paragraphs: for a sentence in a list or a table. */
export function inline(text: string): Html {
  const pieces: Html[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, 2: strong, 3: emphasis, index } of text.matchAll(SPAN)) {
    pieces.push(html`${text.slice(end, index)}`, span({ code, strong, emphasis }));
    end = index + whole.length;
  }
  return joined([...pieces, html`${text.slice(end)}`]);
}

function span({ code, strong, emphasis }: Record<'code' | 'strong' | 'emphasis', string | undefined>): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong !== undefined) return html`<strong>${strong}</strong>`;
  return emphasis === undefined ? new Html('') : html`<em>${emphasis}</em>`;
}
