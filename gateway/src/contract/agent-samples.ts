/** Settings that make coding agents use the gateway, ready to be pasted: for the console, docs/agents.md and its test. Pure. */
import { type FilledFacts, openaiBaseUrl } from './samples.ts';

export interface AgentSample {
  readonly id: string;
  readonly label: string;
  /** The npm package that installs it. */
  readonly package: string;
  /** The path that it calls. */
  readonly endpoint: '/v1/chat/completions' | '/v1/responses' | '/v1/messages';
  /** What a reader has to know besides the settings. */
  readonly note: string;
  /** In the order in which a reader needs them. */
  write(facts: FilledFacts): readonly AgentBlock[];
}

/** A file to create, or lines for a shell. */
export interface AgentBlock {
  /** Where the text goes, below the home directory: `~/.codex/config.toml`. Null: into a shell. */
  readonly file: string | null;
  /** The language, as highlighters name it. */
  readonly language: string;
  readonly text: string;
}

export const agentSamples: readonly AgentSample[] = [
  {
    id: 'codex',
    label: 'Codex',
    package: '@openai/codex',
    endpoint: '/v1/responses',
    note: 'If the model cannot search the web, add web_search = "disabled" above the table.',
    write: ({ origin, key, model }) => [
      {
        file: '~/.codex/config.toml',
        language: 'toml',
        text: `model = ${quoted(model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${quoted(openaiBaseUrl(origin))}
wire_api = "responses"
env_key = "TOLLGATE_KEY"`,
      },
      shell({ TOLLGATE_KEY: key }, 'codex'),
    ],
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    endpoint: '/v1/messages',
    note: 'The base URL has no /v1. The last variable names the model for small tasks, such as titles.',
    write: ({ origin, key, model }) => [
      shell(
        {
          ANTHROPIC_BASE_URL: origin,
          ANTHROPIC_AUTH_TOKEN: key,
          ANTHROPIC_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        },
        'claude',
      ),
    ],
  },
  {
    id: 'opencode',
    label: 'opencode',
    package: 'opencode-ai',
    endpoint: '/v1/chat/completions',
    note: 'For another format, replace the package: @ai-sdk/openai calls /v1/responses, @ai-sdk/anthropic /v1/messages.',
    write: ({ origin, key, model }) => [
      {
        file: '~/.config/opencode/opencode.json',
        language: 'json',
        text: `{
  "model": ${quoted(`tollgate/${model}`)},
  "provider": {
    "tollgate": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Tollgate",
      "options": {
        "baseURL": ${quoted(openaiBaseUrl(origin))},
        "apiKey": "{env:TOLLGATE_KEY}"
      },
      "models": { ${quoted(model)}: {} }
    }
  }
}`,
      },
      shell({ TOLLGATE_KEY: key }, 'opencode'),
    ],
  },
  {
    id: 'qwen-code',
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    endpoint: '/v1/chat/completions',
    note: 'Without the option it asks once how to sign in.',
    write: ({ origin, key, model }) => [
      shell(
        { OPENAI_BASE_URL: openaiBaseUrl(origin), OPENAI_API_KEY: key, OPENAI_MODEL: model },
        'qwen --auth-type openai',
      ),
    ],
  },
  {
    id: 'pi',
    label: 'pi',
    package: '@earendil-works/pi-coding-agent',
    endpoint: '/v1/chat/completions',
    note: 'For another format, replace api: openai-responses, or anthropic-messages with a base URL without /v1.',
    write: ({ origin, key, model }) => [
      {
        file: '~/.pi/agent/models.json',
        language: 'json',
        text: `{
  "providers": {
    "tollgate": {
      "baseUrl": ${quoted(openaiBaseUrl(origin))},
      "api": "openai-completions",
      "apiKey": "$TOLLGATE_KEY",
      "models": [{ "id": ${quoted(model)} }]
    }
  }
}`,
      },
      shell({ TOLLGATE_KEY: key }, `pi --provider tollgate --model ${shellWord(model)}`),
    ],
  },
  {
    id: 'copilot',
    label: 'GitHub Copilot CLI',
    package: '@github/copilot',
    endpoint: '/v1/chat/completions',
    note: 'With these variables it needs no GitHub account.',
    write: ({ origin, key, model }) => [
      shell(
        {
          COPILOT_PROVIDER_BASE_URL: openaiBaseUrl(origin),
          COPILOT_PROVIDER_API_KEY: key,
          COPILOT_MODEL: model,
        },
        'copilot',
      ),
    ],
  },
  {
    id: 'continue',
    label: 'Continue',
    package: '@continuedev/cli',
    endpoint: '/v1/chat/completions',
    note: 'The extensions for editors read the same file.',
    write: ({ origin, key, model }) => [
      {
        file: '~/.continue/config.yaml',
        language: 'yaml',
        text: `name: Tollgate
version: 1.0.0
schema: v1
models:
  - name: ${quoted(model)}
    provider: openai
    model: ${quoted(model)}
    apiBase: ${quoted(openaiBaseUrl(origin))}
    apiKey: ${quoted(key)}
    useResponsesApi: false
    capabilities: [tool_use]`,
      },
      shell({}, 'cn --config ~/.continue/config.yaml'),
    ],
  },
];

function shell(variables: Readonly<Record<string, string>>, command: string): AgentBlock {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  return { file: null, language: 'bash', text: [...lines, command].join('\n') };
}

/** JSON, TOML and YAML write a string in the same way. */
function quoted(value: string): string {
  return JSON.stringify(value);
}

function shellWord(value: string): string {
  return /^[\w./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
