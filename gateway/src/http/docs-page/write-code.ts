/** Blocks of code. Where there are several languages, the one that the reader chose is shown. Pure. */
import {
  type RequestLanguage,
  requestLanguages,
  type ShownRequest,
  writeRequestCode,
} from '../../contract/request-code.ts';
import { type Html, html } from '../html.ts';

/** A block that can be copied. It scrolls sideways, so the keyboard must reach it. */
export function codeBlock(text: string, { language }: { language?: string } = {}): Html {
  return html`<pre tabindex="0"${language === undefined ? null : html` data-language="${language}"`}><code>${text}</code></pre>`;
}

export function requestCode(request: ShownRequest): Html {
  return html`${requestLanguages.map(({ id }) => codeBlock(writeRequestCode(id, request), { language: id }))}`;
}

/** The switch at the top of a page. It works without a script: the style shows the blocks of the chosen language. */
export function languageSwitch(): Html {
  return html`<fieldset class="languages"><legend>Code for</legend>${requestLanguages.map(
    ({ id, label }, i) =>
      html`<label><input type="radio" name="language" id="language-${id}" value="${id}"${
        i === 0 ? html` checked` : null
      }>${label}</label>`,
  )}</fieldset>`;
}

/** The style of the switch. */
export function languageStyle(): string {
  const hidden = (id: RequestLanguage): string =>
    `body:has(#language-${id}:checked) [data-language]:not([data-language="${id}"], .always)`;
  return `${requestLanguages.map(({ id }) => hidden(id)).join(',\n')} { display: none; }`;
}
