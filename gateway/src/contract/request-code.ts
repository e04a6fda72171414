/**
 * The code of one request, for a shell, JavaScript and Python. It can be run as it is: credentials come from the
 * environment, and files from the current folder. Pure.
 */
import { KEY_VARIABLE, pythonText, scriptText, shellText } from './code-text.ts';
import type { ExampleFile } from './documentation/operation-docs.ts';
import type { Credential } from './endpoint.ts';

export const requestLanguages = [
  { id: 'curl', label: 'curl', needs: null },
  { id: 'javascript', label: 'JavaScript', needs: 'Node 20 or newer' },
  { id: 'python', label: 'Python', needs: 'pip install requests' },
] as const;
export type RequestLanguage = (typeof requestLanguages)[number]['id'];

export interface ShownRequest {
  readonly method: string;
  /** With the origin and the query. */
  readonly url: string;
  readonly credential: Credential;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | ExampleFile>>;
  /** What comes back: events, a file that is saved under a name, or text. */
  readonly answer: 'events' | 'json' | 'text' | { readonly savedAs: string };
}

/** The environment variable of each credential, and what is in it; null: none is needed. */
export const credentialVariables: Readonly<
  Record<Credential, { readonly name: string; readonly holds: string } | null>
> = {
  gateway: { name: KEY_VARIABLE, holds: 'a gateway key (`sk_…`)' },
  messages: { name: KEY_VARIABLE, holds: 'a gateway key (`sk_…`)' },
  platform: { name: 'TOLLGATE_MANAGEMENT_KEY', holds: 'a management key (`mk_…`)' },
  organization: {
    name: 'TOLLGATE_MANAGEMENT_KEY',
    holds: 'a management key (`mk_…`) or an administration token (`at_…`)',
  },
  session: { name: 'TOLLGATE_SESSION', holds: 'the token of a session (`ts_…`)' },
  administration: {
    name: 'TOLLGATE_TOKEN',
    holds: 'an administration token (`at_…`) or the token of a session (`ts_…`)',
  },
  none: null,
};

const writers: Readonly<Record<RequestLanguage, (request: ShownRequest) => string>> = {
  curl: writeCurl,
  javascript: writeJavaScript,
  python: writePython,
};

export function writeRequestCode(language: RequestLanguage, request: ShownRequest): string {
  return writers[language](request);
}

/** The header of the credential: its name, and what stands before the value of the variable. */
function credentialHeader({ credential, headers }: ShownRequest): [string, string, string] | null {
  const variable = credentialVariables[credential];
  const named = Object.keys(headers).map((name) => name.toLowerCase());
  if (variable === null || named.includes('authorization')) return null;
  return credential === 'messages'
    ? ['x-api-key', '', variable.name]
    : ['Authorization', 'Bearer ', variable.name];
}

function writeCurl(request: ShownRequest): string {
  const { method, url, headers, body, form, answer } = request;
  const credential = credentialHeader(request);
  const usual = body === undefined && form === undefined ? 'GET' : 'POST';
  const first = [
    'curl',
    ...(answer === 'events' ? ['-N'] : []),
    ...(method === usual ? [] : [`-X ${method}`]),
    /[?&]/.test(url) ? shellText(url) : url,
  ];
  const parts = [
    first.join(' '),
    ...(credential === null ? [] : [`-H "${credential[0]}: ${credential[1]}$${credential[2]}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellText(scriptText(body, 2))}`]),
    ...Object.entries(form ?? {}).map(([name, part]) => `-F ${shellText(`${name}=${curlPart(part)}`)}`),
    ...(typeof answer === 'object' ? [`-o ${answer.savedAs}`] : []),
  ];
  return parts.join(' \\\n  ');
}

function curlPart(part: string | ExampleFile): string {
  return typeof part === 'string' ? part : `@${part.filename};type=${part.type}`;
}

function writeJavaScript(request: ShownRequest): string {
  const { method, url, headers, body, form, answer } = request;
  const credential = credentialHeader(request);
  const files = Object.values(form ?? {}).some((part) => typeof part !== 'string');
  const imports = [
    ...(files ? ['import { openAsBlob } from "node:fs";'] : []),
    ...(typeof answer === 'object' ? ['import { writeFile } from "node:fs/promises";'] : []),
  ];
  const parts = Object.entries(form ?? {}).map(([name, part]) =>
    typeof part === 'string'
      ? `form.set(${scriptText(name)}, ${scriptText(part)});\n`
      : `form.set(${scriptText(name)}, await openAsBlob(${scriptText(part.filename)}, { type: ${scriptText(part.type)} }), ${scriptText(part.filename)});\n`,
  );
  const sent = [
    ...(credential === null
      ? []
      : [`${scriptText(credential[0])}: \`${credential[1]}\${process.env.${credential[2]}}\``]),
    ...Object.entries(headers).map(([name, value]) => `${scriptText(name)}: ${scriptText(value)}`),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${scriptText(method)},\n`]),
    ...(sent.length === 0 ? [] : [`  headers: {\n${sent.map((line) => `    ${line},\n`).join('')}  },\n`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${scriptText(body, 2)}),\n`]),
    ...(form === undefined ? [] : ['  body: form,\n']),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('')}}`;
  return [
    ...(imports.length === 0 ? [] : [`${imports.join('\n')}\n\n`]),
    ...(form === undefined ? [] : [`const form = new FormData();\n${parts.join('')}\n`]),
    `const answer = await fetch(${scriptText(url)}${given});\n`,
    scriptEnd(answer),
  ].join('');
}

function scriptEnd(answer: ShownRequest['answer']): string {
  if (answer === 'events') return 'for await (const piece of answer.body) process.stdout.write(piece);';
  if (typeof answer === 'object')
    return `await writeFile(${scriptText(answer.savedAs)}, Buffer.from(await answer.arrayBuffer()));`;
  return `console.log(await answer.${answer}());`;
}

function writePython(request: ShownRequest): string {
  const { method, url, headers, body, form = {}, answer } = request;
  const credential = credentialHeader(request);
  const texts = Object.entries(form).filter(([, part]) => typeof part === 'string');
  const files = Object.entries(form).filter(([, part]) => typeof part !== 'string');
  const sent = [
    ...(credential === null
      ? []
      : [`${pythonText(credential[0])}: f"${credential[1]}{os.environ['${credential[2]}']}"`]),
    ...Object.entries(headers).map(([name, value]) => `${pythonText(name)}: ${pythonText(value)}`),
  ];
  const options = [
    `    ${pythonText(url)},\n`,
    ...(sent.length === 0
      ? []
      : [`    headers={\n${sent.map((line) => `        ${line},\n`).join('')}    },\n`]),
    ...(body === undefined ? [] : [`    json=${pythonText(body, 1)},\n`]),
    ...(texts.length === 0 ? [] : [`    data=${pythonText(Object.fromEntries(texts), 1)},\n`]),
    ...(files.length === 0 ? [] : [`    files={\n${files.map(pythonFile).join('')}    },\n`]),
    ...(answer === 'events' ? ['    stream=True,\n'] : []),
  ];
  const imports = credential === null ? 'import requests' : 'import os\n\nimport requests';
  return `${imports}

answer = requests.${method.toLowerCase()}(
${options.join('')})
${pythonEnd(answer)}`;
}

function pythonFile([name, part]: [string, string | ExampleFile]): string {
  const { filename, type } = part as ExampleFile;
  const opened = `(${pythonText(filename)}, open(${pythonText(filename)}, "rb"), ${pythonText(type)})`;
  return `        ${pythonText(name)}: ${opened},\n`;
}

function pythonEnd(answer: ShownRequest['answer']): string {
  if (answer === 'events') return 'for line in answer.iter_lines(decode_unicode=True):\n    print(line)';
  if (typeof answer === 'object')
    return `with open(${pythonText(answer.savedAs)}, "wb") as file:\n    file.write(answer.content)`;
  return answer === 'json' ? 'print(answer.json())' : 'print(answer.text)';
}
