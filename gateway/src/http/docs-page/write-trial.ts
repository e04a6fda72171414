/** The form that sends a request from the page. Its script is `console/src/docs-page`; without it the form is hidden. Pure. */
import { credentialVariables, type ShownRequest } from '../../contract/request-code.ts';
import { type Html, html } from '../html.ts';

interface TrialParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example?: unknown;
}

export function writeTrial(
  request: ShownRequest,
  { path, parameters }: { path: string; parameters: readonly TrialParameter[] },
): Html {
  const { method, credential, headers, body, form } = request;
  const variable = credentialVariables[credential];
  const kind = credential === 'session' || credential === 'administration' ? 'person' : 'key';
  return html`<form class="trial" hidden data-method="${method}" data-path="${path}" data-credential="${credential}" data-headers="${JSON.stringify(headers)}">
<details><summary>Send it from here</summary>
${
  variable === null
    ? null
    : html`<label>${variable.name}<input type="password" autocomplete="off" spellcheck="false" data-variable="${variable.name}"></label>${
        kind === 'person'
          ? html`<p class="facts">Empty: the session of the console in this browser.</p>`
          : null
      }`
}
${parameters
  .filter((one) => one.in !== 'header')
  .map(
    ({ name, in: place, example }) =>
      html`<label>${name}<input name="${name}" data-in="${place}" value="${example === undefined ? '' : String(example)}"></label>`,
  )}
${body === undefined ? null : html`<label>Body<textarea data-in="body" rows="8" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea></label>`}
${Object.entries(form ?? {}).map(([name, part]) =>
  typeof part === 'string'
    ? html`<label>${name}<input name="${name}" data-in="form" value="${part}"></label>`
    : html`<label>${name}<input type="file" name="${name}" data-in="form"></label>`,
)}
<button>Send</button><output></output>
</details></form>`;
}
