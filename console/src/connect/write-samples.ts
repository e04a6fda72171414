/** Code that makes the first call, ready to be pasted. Pure. */

export interface SampleFacts {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

export interface Sample {
  readonly id: string;
  readonly label: string;
  /** What the code needs first. */
  readonly note: string;
  write(facts: SampleFacts): string;
}

const PROMPT = 'Reply with exactly: It works';

export const samples: readonly Sample[] = [
  { id: 'curl', label: 'curl', note: 'For any shell.', write: writeCurl },
  { id: 'python', label: 'Python', note: 'Needs the package: pip install openai.', write: writePython },
  {
    id: 'typescript',
    label: 'TypeScript',
    note: 'Needs the package: npm install openai.',
    write: writeTypeScript,
  },
  {
    id: 'env',
    label: '.env',
    note: 'The OpenAI libraries read the first two by themselves.',
    write: writeEnv,
  },
];

function writeCurl({ baseUrl, key, model }: SampleFacts): string {
  const body = `{
    "model": ${text(model)},
    "messages": [
      {"role": "user", "content": ${text(PROMPT)}}
    ]
  }`;
  return `curl ${baseUrl}/chat/completions \\
  -H ${shellText(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellText(body)}`;
}

function writePython({ baseUrl, key, model }: SampleFacts): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${text(baseUrl)},
    api_key=${text(key)},
)

completion = client.chat.completions.create(
    model=${text(model)},
    messages=[
        {"role": "user", "content": ${text(PROMPT)}},
    ],
)
print(completion.choices[0].message.content)`;
}

function writeTypeScript({ baseUrl, key, model }: SampleFacts): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${text(baseUrl)},
  apiKey: ${text(key)},
});

const completion = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: "user", content: ${text(PROMPT)} }],
});
console.log(completion.choices[0].message.content);`;
}

function writeEnv({ baseUrl, key, model }: SampleFacts): string {
  return `OPENAI_BASE_URL=${envText(baseUrl)}
OPENAI_API_KEY=${envText(key)}
OPENAI_MODEL=${envText(model)}`;
}

/** JSON, Python and TypeScript write a string in the same way. */
function text(value: string): string {
  return JSON.stringify(value);
}

function shellText(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function envText(value: string): string {
  return /[\s#"'`$\\]/.test(value) ? text(value) : value;
}
