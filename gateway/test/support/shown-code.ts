/** The code that the pages of the API show, and how it is run: as a reader would, with the answer recorded on its way. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExampleReply } from './example-runner.ts';
import { Interpreter } from './interpreter.ts';

const run = promisify(execFile);
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
/** Stands in for the packages `openai` and `anthropic`, which need no installation that way. */
const PYTHON_CLIENTS = fileURLToPath(new URL('../fixtures/python', import.meta.url));

export const hasPython = spawnSync('python3', ['-c', 'import requests']).status === 0;
if (!hasPython)
  process.stderr.write('python3 with the package requests was not found: code in Python is not run.\n');

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The text of each block of code in this part of a page, as a reader copies it. */
export function codeBlocks(html: string, language?: string): string[] {
  const attribute = language === undefined ? '' : ` data-language="${language}"`;
  return html
    .split(`<pre tabindex="0"${attribute}><code>`)
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('</code></pre>')))
    .map((text) => text.replaceAll(/&([a-z]+|#39);/g, (_, name: string) => ENTITIES[name] as string));
}

/** The parts of a page, by the anchors of its operations. */
export function operationsOn(html: string): Map<string, string> {
  const parts = html.split('<section class="operation" id="').slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('"')), part]));
}

/** Runs code in a folder of its own, against a server whose answers it records. */
export class CodeRunner {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tollgate-code-'));
  readonly #proxy: Server;
  readonly #replies: ExampleReply[] = [];
  readonly #interpreters = new Map<string, Interpreter>();
  readonly #env: Readonly<Record<string, string>>;
  /** The address that stands in the code instead of that of the server. */
  url = '';

  private constructor(target: string, env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#proxy = createServer((request, response) => {
      const { method, headers, url = '/' } = request;
      const onward = send(new URL(url, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        this.#record(answer);
        answer.pipe(response);
      });
      onward.on('error', (error) => response.destroy(error));
      request.pipe(onward);
    });
  }

  static async start(target: string, env: Readonly<Record<string, string>>): Promise<CodeRunner> {
    const runner = new CodeRunner(target, env);
    await new Promise<void>((resolve) => runner.#proxy.listen(0, '127.0.0.1', resolve));
    runner.url = `http://127.0.0.1:${(runner.#proxy.address() as AddressInfo).port}`;
    // Packages are found from the folder of the code.
    symlinkSync(NODE_MODULES, join(runner.#folder, 'node_modules'));
    return runner;
  }

  writeFile(name: string, content: string | Buffer): void {
    writeFileSync(join(this.#folder, name), content);
  }

  /** What the code printed, and the answer that it got; fails if the code did, or if it sent more than one request. */
  async run(
    language: string,
    code: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ printed: string; reply: ExampleReply }> {
    this.#replies.length = 0;
    const env = { ...this.#env, ...more };
    const printed = await this.#execute(language, code, env);
    const [reply, another] = this.#replies;
    if (reply === undefined || another !== undefined)
      throw new Error(`the code sent ${this.#replies.length} requests:\n${code}`);
    return { printed, reply };
  }

  stop(): void {
    for (const interpreter of this.#interpreters.values()) interpreter.stop();
    this.#proxy.closeAllConnections();
    this.#proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #execute(language: string, code: string, own: Readonly<Record<string, string>>): Promise<string> {
    const env = { ...process.env, ...own, PYTHONPATH: PYTHON_CLIENTS, PYTHONDONTWRITEBYTECODE: '1' };
    const cwd = this.#folder;
    if (language === 'javascript' || language === 'python') {
      const interpreter = this.#interpreters.get(language) ?? new Interpreter(language, { cwd, env });
      this.#interpreters.set(language, interpreter);
      return await interpreter.run(code, own);
    }
    const [program, ...args] =
      language === 'curl'
        ? ['bash', '-c', code]
        : [process.execPath, '--input-type=module-typescript', '--eval', code];
    return (await run(program as string, args, { cwd, env, maxBuffer: 32 * 1024 * 1024 })).stdout;
  }

  #record(answer: IncomingMessage): void {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const headers = new Headers(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      this.#replies.push({
        status: answer.statusCode ?? 0,
        headers,
        type: headers.get('content-type') ?? '',
        text: Buffer.concat(chunks).toString(),
      });
    });
  }
}
