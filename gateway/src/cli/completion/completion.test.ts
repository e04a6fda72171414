import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCommands } from '../commands.ts';
import { bashCompletion } from './bash-completion.ts';
import { completionNodes } from './completion-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const nodes = completionNodes(await allCommands());
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-completion-'));
  writeFileSync(join(folder, 'tollgate.bash'), bashCompletion(nodes));
  writeFileSync(join(folder, 'tollgate.zsh'), zshCompletion(nodes));
  writeFileSync(join(folder, 'tollgate.fish'), fishCompletion(nodes));
  writeFileSync(join(folder, 'requests.jsonl'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

function run(shell: string, args: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}

/** What each shell offers for the last word of a line. Programs that find or cut nothing report a failure. */
const shells: Record<string, (words: readonly string[]) => string[]> = {
  bash(words) {
    const script = `source ./tollgate.bash
      COMP_WORDS=(tollgate "$@"); COMP_CWORD=$#; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', ['--norc', '-c', script, 'bash', ...words]);
  },
  // The functions of its completion system are stood in for: they need a terminal.
  zsh(words) {
    const script = `compdef() { :; }
      compadd() { shift; print -l -- "\${(@P)1}"; }
      _describe() { print -l -- "\${(@P)@[-1]}" | sed 's/:.*//'; }
      _files() { print -l -- *; }
      source ./tollgate.zsh
      words=(tollgate "$@"); CURRENT=$(($# + 1)); last="\${@[-1]}"; _tollgate | grep -- "^$last" || true`;
    return run('zsh', ['-f', '-c', script, 'zsh', ...words]);
  },
  fish(words) {
    const line = ['tollgate', ...words].join(' ');
    return run('fish', [
      '-N',
      '-c',
      `source ./tollgate.fish; complete -C '${line}' | string split -f1 \\t; true`,
    ]);
  },
};

describe.each(Object.entries(shells).filter(([shell]) => isInstalled(shell)))('%s', (_, complete) => {
  test.each<[words: string[], offered: string[]]>([
    [['ke'], ['keys']],
    [
      ['keys', 'r'],
      ['rotate', 'rate', 'revoke'],
    ],
    [['keys', 'create', 'ci', '--k'], ['--kind']],
    [
      ['keys', 'create', 'ci', '--kind', ''],
      ['personal', 'shared', 'management'],
    ],
    [['--url', 'x', 'keys', 'list', '--json', '-o', 'wi'], ['wide']],
    [
      ['spaces', 'overage', 'acme', ''],
      ['on', 'off'],
    ],
    [['keys', 'limit', 'ci', 'n'], ['none']],
    [['batches', 'submit', 'req'], ['requests.jsonl']],
    [['completion', 'z'], ['zsh']],
    [['build-l'], []],
  ])('completes %j', (words, offered) => {
    expect(complete(words).toSorted()).toEqual(offered.toSorted());
  });
});

test('every command, option and word is in every script', () => {
  for (const script of [bashCompletion(nodes), zshCompletion(nodes), fishCompletion(nodes)]) {
    for (const { path, options } of nodes) {
      expect(script).toContain(path);
      for (const { long, words } of options) {
        expect(script).toContain(long.slice(2));
        for (const word of words ?? []) expect(script).toContain(word);
      }
    }
  }
});
