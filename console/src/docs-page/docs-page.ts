/**
 * What a script adds to the pages of the API, which the gateway writes: copying, searching, sending requests, and the
 * address at which the browser found them. It stands alone, so that it is small.
 */
import { startTrials } from './send-trial.ts';

const LANGUAGE = 'tollgate.docs.language';
const THEME = 'tollgate.theme';

const theme = localStorage.getItem(THEME);
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
insertOrigin();
keepLanguage();
for (const block of document.querySelectorAll('pre')) addCopyButton(block);
startFilter();
startTrials();

/** Code has the address that the server assumes; the browser knows the right one. */
function insertOrigin(): void {
  const { assumedOrigin } = document.body.dataset;
  if (assumedOrigin === undefined || assumedOrigin === location.origin) return;
  for (const code of document.querySelectorAll('pre code')) {
    const text = code.textContent ?? '';
    if (text.includes(assumedOrigin)) code.textContent = text.replaceAll(assumedOrigin, location.origin);
  }
}

function keepLanguage(): void {
  const kept = document.getElementById(`language-${sessionStorage.getItem(LANGUAGE)}`);
  if (kept instanceof HTMLInputElement) kept.checked = true;
  document.querySelector('.languages')?.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) sessionStorage.setItem(LANGUAGE, target.value);
  });
}

function addCopyButton(block: HTMLElement): void {
  const frame = document.createElement('div');
  frame.className = 'block';
  const { language } = block.dataset;
  if (language !== undefined) frame.dataset.language = language;
  const button = document.createElement('button');
  button.className = 'copy';
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.textContent ?? '').then(
      () => {
        button.textContent = 'Copied';
      },
      // Without https a browser gives no access: the text is selected instead.
      () => getSelection()?.selectAllChildren(block),
    );
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

function startFilter(): void {
  const filter = document.querySelector<HTMLElement>('.filter');
  const input = filter?.querySelector('input');
  if (!filter || !input) return;
  filter.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const section of document.querySelectorAll<HTMLElement>('.tag')) {
      const title = section.querySelector('h3')?.textContent ?? '';
      const items = [...section.querySelectorAll('li')];
      for (const item of items) {
        const text = `${title} ${item.textContent}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      section.hidden = items.every((item) => item.hidden);
    }
  });
}
