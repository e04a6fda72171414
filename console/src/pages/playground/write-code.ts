/** The code of exactly one request: for a shell, for Python and for TypeScript. The key comes from the environment. Pure. */
import { KEY_VARIABLE as KEY, pythonText, shellText } from '../../../../gateway/src/contract/code-text.ts';
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import { openaiBaseUrl } from '../../../../gateway/src/contract/samples.ts';
import { modeCalls } from './mode-calls.ts';
import type { PlayRequest } from './write-request.ts';

export const codeLanguages = [
  { id: 'curl', label: 'curl' },
  { id: 'python', label: 'Python' },
  { id: 'typescript', label: 'TypeScript' },
] as const;
export type CodeLanguage = (typeof codeLanguages)[number]['id'];

export function writeCode(language: CodeLanguage, request: PlayRequest, origin: string): string {
  if (language === 'curl') return writeCurl(request, origin);
  return language === 'python' ? writePython(request, origin) : writeTypeScript(request, origin);
}

/** What must be installed first; null: nothing. */
export function codeNeeds(language: CodeLanguage, mode: PlayMode): string | null {
  if (language === 'curl') return null;
  const [python, typescript] =
    mode === 'messages' ? ['anthropic', '@anthropic-ai/sdk'] : ['openai', 'openai'];
  return language === 'python' ? `pip install ${python}` : `npm install ${typescript}`;
}

function writeCurl({ path, headers, body, streams }: PlayRequest, origin: string): string {
  const more = Object.entries(headers).map(([name, value]) => `  -H ${shellText(`${name}: ${value}`)} \\\n`);
  return `curl ${streams ? '-N ' : ''}${origin}${path} \\
  -H "Authorization: Bearer $${KEY}" \\
  -H 'Content-Type: application/json' \\
${more.join('')}  -d ${shellText(JSON.stringify(body, null, 2))}`;
}

function writePython({ mode, path, body, streams }: PlayRequest, origin: string): string {
  const { method } = modeCalls[mode];
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonText(value, 1)},\n`);
  const call =
    method === null
      ? `post(\n    ${JSON.stringify(belowBase(path))},\n    body=${pythonText(body, 1)},\n    cast_to=object,\n)`
      : `${method}(\n${fields.join('')})`;
  const [library, client] = mode === 'messages' ? ['anthropic', 'Anthropic'] : ['openai', 'OpenAI'];
  const baseUrl = mode === 'messages' ? origin : openaiBaseUrl(origin);
  const end = streams ? 'for event in answer:\n    print(event)' : 'print(answer)';
  return `import os

from ${library} import ${client}

client = ${client}(
    base_url=${JSON.stringify(baseUrl)},
    api_key=os.environ["${KEY}"],
)

answer = client.${call}
${end}`;
}

function writeTypeScript({ mode, path, body, streams }: PlayRequest, origin: string): string {
  const { method } = modeCalls[mode];
  const fields = JSON.stringify(body, null, 2);
  const call =
    method === null
      ? `post(${JSON.stringify(belowBase(path))}, { body: ${fields} })`
      : `${method}(${fields})`;
  const [library, client] = mode === 'messages' ? ['@anthropic-ai/sdk', 'Anthropic'] : ['openai', 'OpenAI'];
  const baseUrl = mode === 'messages' ? origin : openaiBaseUrl(origin);
  const end = streams ? 'for await (const event of answer) console.log(event);' : 'console.log(answer);';
  return `import ${client} from "${library}";

const client = new ${client}({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.${KEY},
});

const answer = await client.${call};
${end}`;
}

/** The base address of the libraries ends with the version. */
function belowBase(path: string): string {
  return path.replace('/v1', '');
}
