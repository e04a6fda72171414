/** What the benchmark is asked to do. */
import { parseArgs } from 'node:util';
import { type AttackName, attackNames } from './attack-job.ts';

/** The last two are run by themselves when they are named; they take minutes. */
export const parts = [
  'json',
  'stream',
  'latency',
  'embeddings',
  'images',
  'memory',
  'batch-check',
  'long',
  'neighbours',
] as const;
export type Part = (typeof parts)[number];
const ownParts: readonly Part[] = ['long', 'neighbours'];
const usualParts = parts.filter((part) => !ownParts.includes(part));

export const targetNames = ['bare-node', 'portkey', 'gateway/postgres', 'gateway/embedded'] as const;
export type TargetName = (typeof targetNames)[number];

export interface BenchFlags {
  readonly quick: boolean;
  readonly parts: readonly Part[];
  readonly targets: readonly TargetName[];
  /** A folder in which other gateways are installed; null: they are left out. */
  readonly peers: string | null;
  readonly attacks: readonly AttackName[];
  /** How many processes are compared with one; null: everything else is measured. */
  readonly processes: number | null;
  /** Each commit takes 20 ms, so that processes are limited by waiting and not by the cores of the machine. */
  readonly slowCommits: boolean;
  /** Calls have as few headers as possible. */
  readonly shortHeads: boolean;
  readonly profile: boolean;
  readonly write: boolean;
  readonly help: boolean;
}

export class FlagsError extends Error {
  override readonly name = 'FlagsError';
}

export const usage = `npm run bench -- [--quick] [--only PARTS] [--attacks NAMES] [--targets NAMES] [--peers FOLDER] [--processes N [--slow-commits]] [--short-heads] [--profile] [--write]
  --quick          about three minutes instead of ten; rougher figures
  --only PARTS     some of ${usualParts.join(', ')}; or long or neighbours, by itself (several minutes)
  --attacks NAMES  with --only neighbours: some of ${attackNames.join(', ')}
  --targets NAMES  some of ${targetNames.join(', ')}
  --peers FOLDER   where "npm install --ignore-scripts @portkey-ai/gateway" was run, to measure it too
  --processes N    compare "serve --processes N" with one process, by itself (a minute); --write then writes to docs/scaling.md
  --slow-commits   with --processes: each commit takes 20 ms
  --short-heads    with as few headers as possible, instead of those of the OpenAI SDK and of OpenAI
  --profile        profile the gateway and list what its time was spent on; --write then writes only that list
  --write          put the figures into docs/performance.md`;

export function readFlags(args: string[]): BenchFlags {
  const { values } = parse(args);
  const wanted = values.only === '' ? usualParts : listed(values.only, parts);
  const own = ownParts.find((part) => wanted.includes(part));
  if (own !== undefined && wanted.length > 1)
    throw new FlagsError(`${own} is measured by itself: --only ${own}.`);
  if (values['slow-commits'] && values.processes === '')
    throw new FlagsError('--slow-commits needs --processes; "npm run bench:commits" measures commits alone.');
  return {
    quick: values.quick,
    parts: wanted,
    targets: listed(values.targets, targetNames),
    peers: values.peers === '' ? null : values.peers,
    attacks: listed(values.attacks, attackNames),
    processes: values.processes === '' ? null : readCount(values.processes),
    slowCommits: values['slow-commits'],
    shortHeads: values['short-heads'],
    profile: values.profile,
    write: values.write,
    help: values.help,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        targets: { type: 'string', default: '' },
        peers: { type: 'string', default: '' },
        attacks: { type: 'string', default: '' },
        processes: { type: 'string', default: '' },
        'slow-commits': { type: 'boolean', default: false },
        'short-heads': { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new FlagsError((error as Error).message);
  }
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 2 && count <= 64) return count;
  throw new FlagsError(`--processes is ${text}; it must be a whole number from 2 to 64.`);
}

function listed<Name extends string>(text: string, known: readonly Name[]): readonly Name[] {
  if (text === '') return known;
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !known.includes(name as Name));
  if (unknown !== undefined) throw new FlagsError(`${unknown} is none of ${known.join(', ')}.`);
  return known.filter((name) => wanted.includes(name));
}
