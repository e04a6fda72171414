/** Settings that make coding agents use the gateway, ready to be pasted. Pure. */
import { openaiBaseUrl, type SampleFacts } from './samples.ts';

export interface AgentSample {
  readonly id: string;
  readonly label: string;
  /** Where the settings belong. */
  readonly place: string;
  write(facts: SampleFacts): string;
}

export const agentSamples: readonly AgentSample[] = [
  { id: 'claude-code', label: 'Claude Code', place: 'shell', write: writeClaudeCode },
  { id: 'codex', label: 'Codex', place: '~/.codex/config.toml', write: writeCodex },
  { id: 'codex-key', label: 'Codex', place: 'shell', write: writeCodexKey },
];

const CODEX_KEY = 'TOLLGATE_API_KEY';

/** It appends /v1/messages itself. */
function writeClaudeCode({ origin, key, model }: SampleFacts): string {
  return `export ANTHROPIC_BASE_URL=${shellText(origin)}
export ANTHROPIC_AUTH_TOKEN=${shellText(key)}
export ANTHROPIC_MODEL=${shellText(model)}
claude`;
}

function writeCodex({ origin, model }: SampleFacts): string {
  return `model = ${tomlText(model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${tomlText(openaiBaseUrl(origin))}
env_key = "${CODEX_KEY}"
wire_api = "responses"`;
}

function writeCodexKey({ key }: SampleFacts): string {
  return `export ${CODEX_KEY}=${shellText(key)}
codex`;
}

/** A basic string of TOML is written like one of JSON. */
function tomlText(value: string): string {
  return JSON.stringify(value);
}

function shellText(value: string): string {
  return /^[\w:/.-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
