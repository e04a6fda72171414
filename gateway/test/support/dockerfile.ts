/** Reads a Dockerfile and a .dockerignore, as far as the tests of deploy/ need them. */

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly from: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Array<Stage & { instructions: Instruction[] }> = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, from = '', alias] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      stages.push({ from, name: alias ?? null, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** What a COPY copies, and the stage that it copies from; null: from the checkout. */
export function readCopy(text: string): { from: string | null; sources: string[] } {
  const words = text.split(/\s+/);
  const flags = words.filter((word) => word.startsWith('--'));
  const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length) ?? null;
  return { from, sources: words.filter((word) => !word.startsWith('--')).slice(0, -1) };
}

/** Whether the builder leaves a path of the checkout out. The last rule that matches it or a folder above decides. */
export function isIgnored(ignoreFile: string, path: string): boolean {
  const parts = path.split('/');
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  let ignored = false;
  for (const line of ignoreFile.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const rule = line.replace(/^!/, '');
    if (above.some((name) => patternOf(rule).test(name))) ignored = !line.startsWith('!');
  }
  return ignored;
}

/** Other than in a shell, `*` also stands for names that begin with a dot. */
function patternOf(rule: string): RegExp {
  const parts = rule.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?';
    return part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
