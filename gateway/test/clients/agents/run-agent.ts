/** Runs a coding agent as a person would set it up: a home of its own with the published settings, and a prompt. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FaultName } from '../../../simulator/faults.ts';
import type { AgentBlock } from '../../../src/contract/agent-samples.ts';
import type { AgentProgram } from './agent-programs.ts';

export interface AgentRun {
  readonly program: AgentProgram;
  readonly path: string;
  readonly blocks: readonly AgentBlock[];
  readonly model: string;
  /** Written into the file that the agent reads. */
  readonly secret: string;
  readonly timeoutMs: number;
  /** When the provider is silent, and for how long. */
  readonly silence?: { readonly fault: FaultName; readonly ms: number };
}

export interface AgentOutput {
  readonly code: number | null;
  /** What it printed, on both outputs. */
  readonly text: string;
}

export async function runAgent(run: AgentRun): Promise<AgentOutput> {
  const home = mkdtempSync(join(tmpdir(), `agent-${run.program.id}-`));
  try {
    const project = join(home, 'project');
    const file = join(project, 'note.txt');
    mkdirSync(project);
    writeFileSync(file, `${run.secret}\n`);
    const env = applySettings(run.blocks, home);
    const call = JSON.stringify(run.program.read.args(file));
    const silence = run.silence ? `[[fault ${run.silence.fault}]] [[delay ${run.silence.ms}]] ` : '';
    const prompt = `Read the note. ${silence}[[call ${run.program.read.tool} ${call}]]`;
    return await start(run, { home, project, prompt, env });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Writes the files, and returns the variables that the lines for a shell export. */
function applySettings(blocks: readonly AgentBlock[], home: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { file, text } of blocks) {
    if (file === null) {
      for (const [, name = '', value = ''] of text.matchAll(/^export (\w+)=(.*)$/gm)) env[name] = value;
      continue;
    }
    const path = file.replace('~', home);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return env;
}

function start(
  { program, path, model, timeoutMs }: AgentRun,
  place: { home: string; project: string; prompt: string; env: Record<string, string> },
): Promise<AgentOutput> {
  const { home, project, prompt, env } = place;
  const args = program.args(prompt, model).map((arg) => arg.replace(/^~/, home));
  const child = spawn(program.byNode ? process.execPath : path, program.byNode ? [path, ...args] : args, {
    cwd: project,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'dumb', CI: '1', ...program.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let text = '';
  const add = (piece: Buffer): void => {
    text += piece.toString();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}
