/** Code that makes the first call, ready to be pasted: for the console and for the page of the API. Pure. */
import { KEY_VARIABLE, shellText } from './code-text.ts';

export interface SampleFacts {
  /** The address of the installation: `https://gate.example`. */
  readonly origin: string;
  /** Null: the code reads it from the environment. */
  readonly key: string | null;
  readonly model: string;
}

/** For code that goes where no environment is read. */
export interface FilledFacts extends SampleFacts {
  readonly key: string;
}

export interface Sample {
  readonly id: string;
  readonly label: string;
  /** The language, as highlighters name it. */
  readonly language: string;
  /** What the code needs first. */
  readonly note: string;
  write(facts: SampleFacts): string;
}

const PROMPT = 'Reply with exactly: It works';

export const samples: readonly Sample[] = [
  { id: 'curl', label: 'curl', language: 'bash', note: 'For any shell.', write: writeCurl },
  {
    id: 'python',
    label: 'Python',
    language: 'python',
    note: 'Needs the package: pip install openai.',
    write: writePython,
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    language: 'typescript',
    note: 'Needs the package: npm install openai.',
    write: writeTypeScript,
  },
  {
    id: 'anthropic',
    label: 'Anthropic SDK',
    language: 'typescript',
    note: 'Needs the package: npm install @anthropic-ai/sdk. Its base URL has no /v1.',
    write: writeAnthropic,
  },
  {
    id: 'env',
    label: '.env',
    language: 'bash',
    note: 'The OpenAI libraries read the first two by themselves.',
    write: writeEnv,
  },
];

/** The base URL of the OpenAI libraries. */
export function openaiBaseUrl(origin: string): string {
  return `${origin}/v1`;
}

function writeCurl({ origin, key, model }: SampleFacts): string {
  const body = `{
    "model": ${text(model)},
    "messages": [
      {"role": "user", "content": ${text(PROMPT)}}
    ]
  }`;
  return `curl ${openaiBaseUrl(origin)}/chat/completions \\
  -H ${key === null ? `"Authorization: Bearer $${KEY_VARIABLE}"` : shellText(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellText(body)}`;
}

function writePython({ origin, key, model }: SampleFacts): string {
  return `${key === null ? 'import os\n\n' : ''}from openai import OpenAI

client = OpenAI(
    base_url=${text(openaiBaseUrl(origin))},
    api_key=${key === null ? `os.environ[${text(KEY_VARIABLE)}]` : text(key)},
)

completion = client.chat.completions.create(
    model=${text(model)},
    messages=[
        {"role": "user", "content": ${text(PROMPT)}},
    ],
)
print(completion.choices[0].message.content)`;
}

function writeTypeScript({ origin, key, model }: SampleFacts): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${text(openaiBaseUrl(origin))},
  apiKey: ${scriptKey(key)},
});

const completion = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: "user", content: ${text(PROMPT)} }],
});
console.log(completion.choices[0].message.content);`;
}

function writeAnthropic({ origin, key, model }: SampleFacts): string {
  return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${text(origin)},
  apiKey: ${scriptKey(key)},
});

const message = await client.messages.create({
  model: ${text(model)},
  max_tokens: 1000,
  messages: [{ role: "user", content: ${text(PROMPT)} }],
});
for (const block of message.content) {
  if (block.type === "text") console.log(block.text);
}`;
}

function writeEnv({ origin, key, model }: SampleFacts): string {
  return `OPENAI_BASE_URL=${envText(openaiBaseUrl(origin))}
OPENAI_API_KEY=${envText(key ?? `$${KEY_VARIABLE}`)}
OPENAI_MODEL=${envText(model)}`;
}

/** JSON, Python and TypeScript write a string in the same way. */
function text(value: string): string {
  return JSON.stringify(value);
}

function scriptKey(key: string | null): string {
  return key === null ? `process.env.${KEY_VARIABLE}` : text(key);
}

function envText(value: string): string {
  return /[\s#"'`$\\]/.test(value) ? text(value) : value;
}
