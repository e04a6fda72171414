/** Simulated models that are as strict as the real ones they are named for, and what each of them does not take. */
import type { Format } from './ask.ts';
import {
  type DialectCase,
  everywhere,
  inAll,
  jsonFormat,
  type Names,
  oneAtATime,
  type Refused,
} from './dialects.ts';
import type { FeatureName } from './features.ts';
import type { Wire } from './sent.ts';

const only = (model: string) => ({ models: { usual: model, thinking: model } });

const anthropic = {
  dialect: 'anthropic',
  baseUrl: 'SIMULATOR_ORIGIN',
  wires: everywhere('messages'),
} as const;
const bedrock = {
  dialect: 'bedrock',
  baseUrl: 'SIMULATOR_ORIGIN',
  region: 'us-east-1',
  wires: everywhere('bedrock'),
} as const;
const google = {
  dialect: 'google',
  baseUrl: 'SIMULATOR_ORIGIN/v1beta',
  wires: everywhere('google'),
} as const;

const sampling: readonly FeatureName[] = ['temperature', 'a temperature of zero', 'temperature and top_p'];
const forced: readonly FeatureName[] = [
  'tools of which one must be called',
  'a tool that must be called',
  'a tool that must be called, and thoughts',
];
const schemas: readonly FeatureName[] = [
  'JSON that fits a schema',
  'JSON that fits a schema with bounds',
  'JSON that fits a schema, with tools on offer',
];
const forcedNamespaces: readonly FeatureName[] = [
  'a function of a namespace whose name is too long',
  'a function of a namespace that must be called',
];

/** The same words for each of these features. */
function each<Said>(names: readonly FeatureName[], said: Said): Partial<Record<FeatureName, Said>> {
  return Object.fromEntries(names.map((name) => [name, said])) as Partial<Record<FeatureName, Said>>;
}

const translated = (param: string, relayed: Format): Names => {
  const { [relayed]: _, ...names } = inAll(param);
  return names;
};

const noForcedTools: Refused = {
  ...each(forced, translated('tool_choice', 'messages')),
  ...each(forcedNamespaces, { responses: 'tool_choice' }),
};

const noForcedToolsAtAll: Refused = {
  ...each(forced, inAll('tool_choice')),
  ...each(forcedNamespaces, { responses: 'tool_choice' }),
};

export const strictCases: readonly DialectCase[] = [
  {
    ...anthropic,
    ...only('sim-claude-opus-5-5'),
    name: 'claude-opus-5-5',
    strict: {
      thinks: 'always',
      samples: false,
      adaptive: true,
      refused: noForcedTools,
      refusedByProvider: {
        ...each(forced, { messages: 'tool_choice' }),
      },
      works: [...sampling, 'a temperature above one', 'an effort and a temperature'],
    },
  },
  {
    ...anthropic,
    ...only('sim-claude-sonnet-4-5'),
    name: 'claude-sonnet-4-5',
    strict: {
      thinks: 'asked',
      samples: true,
      works: ['temperature and top_p', 'an effort and a temperature'],
    },
  },
  {
    ...bedrock,
    ...only('sim-us.anthropic.claude-opus-5-5-v1:0'),
    name: 'claude-opus-5-5-on-bedrock',
    strict: {
      thinks: 'always',
      samples: false,
      refused: noForcedToolsAtAll,
      works: ['a temperature above one'],
      // Bedrock rejects schemas of the newest Claude models (test/text/bedrock-tools.test.ts).
      without: [
        ...schemas,
        ...['JSON that fits a schema, by the field of chat', 'JSON that fits a schema, with tools on offer'],
        ...['a strict tool', 'a strict tool with bounds'],
      ] as FeatureName[],
    },
  },
  {
    ...bedrock,
    ...only('sim-us.amazon.nova-2-lite-v1:0'),
    name: 'nova-2-lite',
    strict: {
      thinks: 'asked',
      samples: true,
      refused: { 'tools one at a time': oneAtATime },
      without: ['sealed thoughts'],
    },
  },
  {
    dialect: 'openai',
    baseUrl: 'SIMULATOR',
    wires: { chat: 'chat', responses: 'responses', messages: 'chat' },
    ...only('sim-gpt-5.6'),
    name: 'gpt-5-6',
    strict: {
      thinks: 'unasked',
      samples: false,
      toolsByResponses: true,
      refused: {
        'a stop sequence': { messages: 'stop_sequences' },
        'six stop sequences': { messages: 'stop_sequences' },
      },
      refusedByProvider: {
        ...each(['a stop sequence', 'one stop sequence as a text'], { chat: 'stop' }),
        ...each(['penalties', 'penalties of zero'], {
          ...{ chat: 'presence_penalty', responses: 'presence_penalty' },
        }),
      },
      works: ['top_k'],
    },
  },
  {
    ...google,
    ...only('sim-gemini-2.5-pro'),
    name: 'gemini-2-5-pro',
    strict: {
      thinks: 'always',
      samples: true,
      refused: { 'JSON that fits a schema, with tools on offer': jsonFormat },
    },
  },
  {
    ...google,
    ...only('sim-gemini-3.1-pro'),
    name: 'gemini-3-1-pro',
    strict: { thinks: 'always', samples: true },
  },
  {
    dialect: 'openai-compatible',
    vendor: 'deepseek',
    baseUrl: 'SIMULATOR',
    wires: everywhere('chat' as Wire),
    ...only('sim-deepseek-v4-pro'),
    name: 'deepseek-v4-pro',
    strict: {
      thinks: 'unasked',
      aloud: true,
      samples: true,
      // It takes JSON without a schema only.
      refused: {
        ...each(schemas, { responses: 'text.format', messages: 'output_config.format' }),
        'JSON that fits a schema, by the field of chat': { responses: 'text.format' },
      },
      refusedByProvider: {
        ...each(schemas, { chat: null }),
      },
    },
  },
];
