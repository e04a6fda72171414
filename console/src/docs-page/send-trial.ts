/** Sends the request of a form to this server, and shows what comes back. Credentials stay in the tab. */

const PERSON = ['session', 'administration'];
const SHOWN_CHARACTERS_MAX = 200_000;

export function startTrials(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('.trial')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const output = form.querySelector('output') as HTMLOutputElement;
      send(form, output).catch((error: unknown) => {
        output.textContent = `The request could not be sent: ${(error as Error).message}`;
      });
    });
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-variable]')) {
    const name = `tollgate.docs.${input.dataset.variable}`;
    input.value = sessionStorage.getItem(name) ?? '';
    input.addEventListener('input', () => {
      sessionStorage.setItem(name, input.value);
      const others = document.querySelectorAll<HTMLInputElement>(
        `[data-variable="${input.dataset.variable}"]`,
      );
      for (const other of others) other.value = input.value;
    });
  }
}

async function send(form: HTMLFormElement, output: HTMLOutputElement): Promise<void> {
  output.textContent = 'Sending …';
  const { method = 'GET' } = form.dataset;
  const body = bodyOf(form);
  const headers = {
    ...(JSON.parse(form.dataset.headers ?? '{}') as Record<string, string>),
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    ...(await credentialOf(form)),
  };
  const begun = performance.now();
  const answer = await fetch(urlOf(form), { method, headers, ...(body !== null && { body }) });
  const text = document.createElement('pre');
  text.tabIndex = 0;
  const status = `${answer.status} after ${Math.round(performance.now() - begun)} ms`;
  const cost = answer.headers.get('x-tollgate-cost-units');
  output.replaceChildren(cost === null ? status : `${status}, ${cost} units`, text);
  await show(answer, text);
}

/** Values of the path are part of it; empty values of the query are left out. */
function urlOf(form: HTMLFormElement): string {
  const query = new URLSearchParams();
  let path = form.dataset.path ?? '';
  for (const input of inputsOf(form, 'path'))
    path = path.replace(`{${input.name}}`, encodeURIComponent(input.value).replaceAll('%2F', '/'));
  for (const input of inputsOf(form, 'query')) if (input.value !== '') query.append(input.name, input.value);
  return query.size === 0 ? path : `${path}?${query}`;
}

function bodyOf(form: HTMLFormElement): string | FormData | null {
  const text = form.querySelector<HTMLTextAreaElement>('textarea');
  if (text !== null) return text.value;
  const fields = inputsOf(form, 'form');
  if (fields.length === 0) return null;
  const data = new FormData();
  for (const { name, value, files } of fields) {
    if (files === null) data.set(name, value);
    else for (const file of files) data.append(name, file);
  }
  return data;
}

function inputsOf(form: HTMLFormElement, place: string): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>(`input[data-in="${place}"]`)];
}

/** Without one, what a person may do is done with the session of the console. */
async function credentialOf(form: HTMLFormElement): Promise<Record<string, string>> {
  const { credential = 'none', method } = form.dataset;
  const value = form.querySelector<HTMLInputElement>('[data-variable]')?.value.trim() ?? '';
  if (value !== '')
    return credential === 'messages' ? { 'x-api-key': value } : { authorization: `Bearer ${value}` };
  if (!PERSON.includes(credential) || method === 'GET') return {};
  const { session } = (await (await fetch('/api/console/visitor')).json()) as {
    session: { csrf: string } | null;
  };
  return session === null ? {} : { 'x-csrf-token': session.csrf };
}

/** Texts are shown as they arrive, JSON is laid out, and of anything else the size is said. */
async function show(answer: Response, into: HTMLElement): Promise<void> {
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) {
    into.textContent = JSON.stringify(await answer.json(), null, 2).slice(0, SHOWN_CHARACTERS_MAX);
    return;
  }
  if (!/^text\/|jsonl|ndjson/.test(type) || answer.body === null) {
    into.textContent = `${(await answer.arrayBuffer()).byteLength} bytes of ${type || 'no type'}`;
    return;
  }
  into.textContent = '';
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    into.append(read.value);
    if ((into.textContent?.length ?? 0) > SHOWN_CHARACTERS_MAX) await reader.cancel();
  }
}
