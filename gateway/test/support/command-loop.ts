/** The process of `CommandProcess`: runs a command for each message, and answers with what it printed. */
import type { CommandRequest, Ran } from './command-process.ts';

const { main } = (await import(process.argv[2] as string)) as {
  main(argv: readonly string[]): Promise<void>;
};
const printed = { stdout: '', stderr: '' };
let last: Promise<void> = Promise.resolve();

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
collect('stdout');
collect('stderr');
process.on('message', (request: CommandRequest) => {
  last = last.then(() => run(request));
});
process.on('disconnect', () => process.exit());

async function run({ args, cwd, env }: CommandRequest): Promise<void> {
  Object.assign(printed, { stdout: '', stderr: '' });
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = undefined;
  await main(['node', 'tollgate', ...args]);
  const ran: Ran = { code: Number(process.exitCode ?? 0), ...printed };
  process.send?.(ran);
}

/** Keeps what a command prints, in place of printing it. */
function collect(name: 'stdout' | 'stderr'): void {
  process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.find((one) => typeof one === 'function');
    if (done !== undefined) process.nextTick(done as () => void);
    return true;
  };
}
