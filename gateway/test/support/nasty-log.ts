/**
 * Writes logs that are hard to read: many lines with one timestamp, repeated texts, stdout and stderr out of
 * order, lines in parts, rotation, compression, restarts and new pods. Remembers what was written per source.
 */
import { logTimeOf } from '../../src/kernel/log-time.ts';

/** A pod that can be written to, in any store. */
export interface NastyPod {
  /** `<uid>/<container>/<restart>`, or another name of the source in the results. */
  readonly source: string;
  record(time: string, stream: 'stdout' | 'stderr', tag: 'P' | 'F', text: string): void;
  rotate(): void;
  /** Compresses or deletes old files. */
  tidy(): void;
  restart(): void;
}

export interface NastyOptions {
  readonly random: () => number;
  readonly makePod: (n: number) => NastyPod;
  readonly podsMax: number;
  /** The probability per step. */
  readonly rotateChance?: number;
  readonly restartChance?: number;
  /** Whether a file may end in the middle of a line. */
  readonly rotatesLines?: boolean;
}

const TEXTS = [
  'GET /cart 200',
  'GET /cart 200',
  'tick',
  'tick',
  '',
  ' \t',
  '{"level":"info","msg":"ok"}',
  '한글 🎉',
];

export class NastyLog {
  readonly #options: NastyOptions;
  readonly #pods: NastyPod[] = [];
  readonly written = new Map<string, string[]>();
  #instant = Date.now();
  #nanos = 0;

  constructor(options: NastyOptions) {
    this.#options = options;
    this.addPod();
  }

  get total(): number {
    return [...this.written.values()].reduce((sum, lines) => sum + lines.length, 0);
  }

  addPod(): void {
    if (this.#pods.length < this.#options.podsMax) this.#pods.push(this.#options.makePod(this.#pods.length));
  }

  /** Writes a few lines, and perhaps a rotation, a restart or a new pod. */
  step(): void {
    const { random, rotateChance = 0.04, restartChance = 0.01 } = this.#options;
    const pod = this.#pods[Math.floor(random() * this.#pods.length)] as NastyPod;
    for (let lines = Math.floor(random() * 12); lines > 0; lines--) this.line(pod);
    if (random() < rotateChance) pod.rotate();
    if (random() < rotateChance) pod.tidy();
    if (random() < restartChance) {
      this.#instant = Math.max(this.#instant + 2, Date.now());
      pod.restart();
    }
    if (random() < 0.01) this.addPod();
  }

  /** Writes a last line to every pod. */
  finish(): void {
    this.#instant = Math.max(this.#instant + 1_500, Date.now());
    for (const pod of this.#pods) this.#write(pod, this.#time(false), 'stdout', 'the end');
  }

  line(pod: NastyPod): void {
    const { random } = this.#options;
    const stream = random() < 0.3 ? 'stderr' : 'stdout';
    const time = this.#time(random() < 0.2);
    const text = TEXTS[Math.floor(random() * TEXTS.length)] as string;
    this.#write(pod, time, stream, random() < 0.5 ? text : `${text} ${Math.floor(random() * 5)}`);
  }

  #write(pod: NastyPod, time: string, stream: 'stdout' | 'stderr', text: string): void {
    const { random } = this.#options;
    const parts = random() < 0.1 ? ['part one, ', 'part two, ', text] : [text];
    for (const [n, part] of parts.entries()) {
      pod.record(time, stream, n < parts.length - 1 ? 'P' : 'F', part);
      const mayRotate = this.#options.rotatesLines !== false && n < parts.length - 1;
      if (mayRotate && random() < 0.2) pod.rotate();
    }
    const lines = this.written.get(pod.source) ?? [];
    lines.push(parts.join(''));
    this.written.set(pod.source, lines);
  }

  /** Often the same as before; sometimes a little earlier. */
  #time(late: boolean): string {
    const { random } = this.#options;
    this.#instant = Math.max(this.#instant, Date.now());
    if (random() < 0.3) this.#nanos = Math.floor(random() * 1_000_000);
    const instant = late ? this.#instant - Math.floor(random() * 300) : this.#instant;
    return logTimeOf(instant).replace(/000000Z$/, `${String(this.#nanos).padStart(6, '0')}Z`);
  }
}
