/** How each coding agent is started for one task, without a terminal and without a person who answers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentBlock } from '../../../src/contract/agent-samples.ts';

export interface AgentProgram {
  /** The id of its settings. */
  readonly id: string;
  /** Where it is inside a folder of packages, and whether Node runs it. */
  readonly at: string;
  readonly byNode: boolean;
  /** Arguments for one task; `model` only if the settings do not name it. */
  args(prompt: string, model: string): readonly string[];
  /** Besides the settings: keeps it from asking, and from calling home. */
  readonly env?: Readonly<Record<string, string>>;
  /** Shortens how long it waits for the next event of a stream, if it can be set. */
  impatient?(blocks: readonly AgentBlock[], eventMs: number): readonly AgentBlock[];
  /** The tool that reads a file, and its arguments. */
  readonly read: { readonly tool: string; args(file: string): object };
}

const native = `${process.platform}-${process.arch}`;

export const agentPrograms: readonly AgentProgram[] = [
  {
    id: 'codex',
    at: '@openai/codex/bin/codex.js',
    byNode: true,
    args: (prompt) => [
      ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    ],
    impatient: (blocks, eventMs) =>
      blocks.map((block) =>
        block.file === null
          ? block
          : { ...block, text: `${block.text}\nstream_idle_timeout_ms = ${eventMs}\n` },
      ),
    read: { tool: 'exec_command', args: (file) => ({ cmd: `cat ${file}` }) },
  },
  {
    id: 'claude-code',
    at: `@anthropic-ai/claude-code-${native}/claude`,
    byNode: false,
    args: (prompt) => ['-p', prompt, '--allowedTools', 'Read'],
    env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    impatient: (blocks, eventMs) => [
      ...blocks,
      {
        file: null,
        language: 'bash',
        text: `export CLAUDE_ENABLE_STREAM_WATCHDOG=1\nexport CLAUDE_STREAM_IDLE_TIMEOUT_MS=${eventMs}`,
      },
    ],
    read: { tool: 'Read', args: (file) => ({ file_path: file }) },
  },
  {
    id: 'opencode',
    at: `opencode-${native}/bin/opencode`,
    byNode: false,
    // It puts quotes around an argument that has spaces.
    args: (prompt) => ['run', ...prompt.split(' ')],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    read: { tool: 'read', args: (file) => ({ filePath: file }) },
  },
  {
    id: 'qwen-code',
    at: '@qwen-code/qwen-code/cli-entry.js',
    byNode: true,
    args: (prompt) => ['--auth-type', 'openai', '--yolo', prompt],
    read: { tool: 'read_file', args: (file) => ({ file_path: file }) },
  },
  {
    id: 'pi',
    at: '@earendil-works/pi-coding-agent/dist/cli.js',
    byNode: true,
    args: (prompt, model) => ['--provider', 'tollgate', '--model', model, '--offline', '-p', prompt],
    read: { tool: 'read', args: (file) => ({ path: file }) },
  },
  {
    id: 'copilot',
    at: '@github/copilot/npm-loader.js',
    byNode: true,
    args: (prompt) => ['-p', prompt, '--allow-all-tools', '--allow-all-paths'],
    env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    read: { tool: 'view', args: (file) => ({ path: file }) },
  },
  {
    id: 'continue',
    at: '@continuedev/cli/dist/cn.js',
    byNode: true,
    args: (prompt) => ['--config', '~/.continue/config.yaml', '--auto', '-p', prompt],
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    read: { tool: 'Read', args: (file) => ({ filepath: file }) },
  },
];

/** The path of the program, or null if the folder does not have it. */
export function findProgram({ at }: AgentProgram, packages: string): string | null {
  const path = join(packages, 'node_modules', at);
  return existsSync(path) ? path : null;
}
