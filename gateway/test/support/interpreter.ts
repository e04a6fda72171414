/** A process that runs many pieces of code: one process for each would take minutes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/interpreters/${name}`, import.meta.url));

const programs = {
  javascript: [process.execPath, fixture('javascript.mjs')],
  python: ['python3', fixture('python.py')],
} as const;

export class Interpreter {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(language: keyof typeof programs, options: { cwd: string; env: NodeJS.ProcessEnv }) {
    const [program, file] = programs[language];
    this.#child = spawn(program, [file], options);
    this.#child.stderr.resume();
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** What the code printed; throws what it threw. */
  async run(code: string, env: Readonly<Record<string, string>>): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify({ code, env })}\n`);
    const printed: string[] = [];
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) throw new Error(`the interpreter ended with\n${code}`);
      if (value === '{"done": true}') return printed.join('\n');
      if (value.startsWith('{"error":'))
        throw new Error(`${(JSON.parse(value) as { error: string }).error}\n${code}`);
      printed.push(value);
    }
  }

  stop(): void {
    this.#child.kill();
  }
}
