/**
 * The body of a long call: a conversation of a coding agent, with a system prompt, tools, and many messages with tool
 * calls and their results. The same bytes on every run.
 */
const TOOLS = [
  'read_file',
  'write_file',
  'list_folder',
  'search',
  'run_command',
  'apply_patch',
  'fetch_page',
];
const WORDS =
  'the file function returns value error path line module import test config request answer stream token model ' +
  'charge commit index buffer socket client server handler option default result object string number list';
const words = WORDS.split(' ');
/** Some texts are not ASCII: names, arrows, Korean comments. */
const FOREIGN = ['Größe', 'naïve', '→', '요청을 처리합니다', '…', 'façade', '✓ passed'];
/** Larger bodies have longer results instead of more messages, whose number is limited. */
const UNSCALED_BYTES = 2_000_000;
/** Every so many turns a tool returns a whole file. */
const FILE_EVERY = 12;
const FILE_CHARACTERS = 24_000;

export function longBody(call: { model: string; streams: boolean; bytes: number }): string {
  const random = sequence(7);
  const scale = Math.max(1, call.bytes / UNSCALED_BYTES);
  const messages: object[] = [
    { role: 'system', content: prose(random, 9_000) },
    { role: 'user', content: `Fix the failing test in the repository.\n\n${prose(random, 1_200)}` },
  ];
  const tools = TOOLS.map((name) => toolNamed(name, random));
  let bytes = Buffer.byteLength(JSON.stringify([messages, tools]));
  for (let turn = 0; bytes < call.bytes; turn++) {
    const usual = turn % FILE_EVERY === FILE_EVERY - 1 ? FILE_CHARACTERS : 600 + (random() % 3_000);
    const size = Math.round(usual * scale);
    const next = turnOf(turn, random, Math.min(size, call.bytes - bytes));
    bytes += Buffer.byteLength(JSON.stringify(next));
    messages.push(...next);
  }
  return JSON.stringify({
    model: call.model,
    ...(call.streams && { stream: true, stream_options: { include_usage: true } }),
    messages,
    tools,
    temperature: 0.2,
    max_completion_tokens: 4_096,
  });
}

/** The model says something and calls a tool; the tool answers. */
function turnOf(turn: number, random: () => number, resultCharacters: number): object[] {
  const name = TOOLS[turn % TOOLS.length] as string;
  const id = `call_${String(turn).padStart(24, '0')}`;
  const path = `src/${words[random() % words.length]}/${words[random() % words.length]}-${turn}.ts`;
  const written = name === 'write_file' || name === 'apply_patch' ? { content: code(random, 900) } : {};
  const call = {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify({ path, ...written, limit: 200 }) },
  };
  return [
    { role: 'assistant', content: prose(random, 160), tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: code(random, resultCharacters) },
  ];
}

function toolNamed(name: string, random: () => number): object {
  const text = (description: string): object => ({ type: 'string', description });
  const properties = {
    path: text('A path in the repository.'),
    content: text(prose(random, 120)),
    limit: { type: 'integer', description: 'The most lines to return.', minimum: 1, maximum: 2_000 },
  };
  const parameters = { type: 'object', properties, required: ['path'], additionalProperties: false };
  return { type: 'function', function: { name, description: prose(random, 500), parameters } };
}

function prose(random: () => number, characters: number): string {
  let text = '';
  while (text.length < characters) {
    const word = random() % 60 === 0 ? FOREIGN[random() % FOREIGN.length] : words[random() % words.length];
    text += `${word}${random() % 14 === 0 ? '.\n' : ' '}`;
  }
  return text;
}

/** Lines as a tool returns them: indented, with quotes, tabs and line ends that JSON escapes. */
function code(random: () => number, characters: number): string {
  let text = '';
  for (let line = 1; text.length < characters; line++) {
    const [a, b, c] = [0, 0, 0].map(() => words[random() % words.length]);
    text += `${line}\t${'  '.repeat(random() % 4)}`;
    if (line % 9 === 0) text += `// ${prose(random, 40).trim()}\n`;
    else if (line % 5 === 0) text += `import { ${a} } from "./${b}/${c}.ts";\n`;
    else if (line % 3 === 0) text += `if (${a}.${b} === "${c}") return null;\n`;
    else text += `const ${a}${line} = ${b}(${c}, ${random() % 1_000});\n`;
  }
  return text;
}

/** Numbers that look random and are the same on every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
