/**
 * A disk in memory that can lose its power. Until a sync ends, anything may be left of what was written: all, nothing, a
 * beginning, or some of the sectors; a new file or a removal may be there or not. After a sync that failed, the bytes are
 * as lost as before, although the next sync succeeds.
 */
import type { SegmentFile, WriteAheadDisk } from '../../src/database/write-ahead-disk.ts';
import type { Random } from './seeded.ts';

const SECTOR = 64;

export interface PowerDiskOptions {
  readonly random: Random;
  /** Called between any two operations, so that the power can fail there. */
  readonly step: () => Promise<void>;
}

interface Written {
  /** On the disk for certain. */
  durable: Buffer;
  /** What the running system reads. */
  seen: Buffer;
  /** Sectors that differ and may or may not be on the disk. */
  unsure: Set<number>;
  /** The entry in the folder is on the disk. */
  named: boolean;
}

export class PowerDisk implements WriteAheadDisk {
  readonly #random: Random;
  readonly #step: () => Promise<void>;
  readonly #files = new Map<string, Written>();
  readonly #removed = new Map<string, Written>();
  /** The share of writes that fail. */
  failing = 0;

  constructor({ random, step }: PowerDiskOptions) {
    this.#random = random;
    this.#step = step;
  }

  /** The disk when the machine runs again; `killed`: only the process ended, and the system kept what it had. */
  again(options: PowerDiskOptions, killed: boolean): PowerDisk {
    const disk = new PowerDisk(options);
    for (const [name, file] of this.#files) {
      if (killed) disk.#files.set(name, copyOf(file));
      else if (file.named || this.#random() < 0.5) disk.#files.set(name, this.#leftOf(file));
    }
    for (const [name, file] of this.#removed) {
      if (killed) disk.#removed.set(name, copyOf(file));
      else if (this.#random() < 0.5) disk.#files.set(name, this.#leftOf(file));
    }
    return disk;
  }

  async list(): Promise<string[]> {
    await this.#step();
    return [...this.#files.keys()];
  }

  async read(name: string): Promise<Buffer> {
    await this.#step();
    return Buffer.from((this.#files.get(name) as Written).seen);
  }

  async create(name: string, bytes: Buffer): Promise<SegmentFile> {
    await this.#step();
    if (this.#files.has(name)) throw new Error('EEXIST');
    // Blocks of a new file may hold what was there before.
    const old = Buffer.alloc(bytes.length, Math.floor(this.#random() * 256));
    const file: Written = { durable: old, seen: Buffer.alloc(0), unsure: new Set(), named: false };
    this.#files.set(name, file);
    await this.#step();
    file.seen = Buffer.alloc(bytes.length);
    await this.#write(file, bytes, 0);
    file.named = true;
    this.#removed.clear();
    return {
      write: (more, position) => this.#write(file, more, position),
      close: () => this.#step(),
    };
  }

  async remove(name: string): Promise<void> {
    await this.#step();
    const file = this.#files.get(name);
    if (file === undefined) return;
    this.#files.delete(name);
    if (file.named) this.#removed.set(name, file);
    await this.#step();
  }

  async #write(file: Written, bytes: Buffer, position: number): Promise<void> {
    if (this.#random() < this.failing / 2) throw new Error('ENOSPC');
    await this.#step();
    bytes.copy(file.seen, position);
    const last = Math.floor((position + bytes.length - 1) / SECTOR);
    for (let sector = Math.floor(position / SECTOR); sector <= last; sector++) file.unsure.add(sector);
    await this.#step();
    if (this.#random() < this.failing) {
      this.#settle(file, () => this.#random() < 0.5);
      throw new Error('EIO');
    }
    this.#settle(file, () => true);
    await this.#step();
  }

  #settle(file: Written, reaches: (sector: number) => boolean): void {
    for (const sector of file.unsure) {
      const [from, to] = [sector * SECTOR, (sector + 1) * SECTOR];
      if (reaches(sector)) file.seen.copy(file.durable, from, from, to);
    }
    file.unsure.clear();
  }

  #leftOf(file: Written): Written {
    const [way, part] = [this.#random(), this.#random() * (file.durable.length / SECTOR)];
    const left = copyOf(file);
    this.#settle(left, (sector) => {
      if (way < 0.25) return false;
      if (way < 0.5) return true;
      return way < 0.75 ? sector < part : this.#random() < 0.5;
    });
    const isCut = !file.named && this.#random() < 0.3;
    const bytes = isCut ? Math.floor(this.#random() * left.durable.length) : left.durable.length;
    const durable = left.durable.subarray(0, bytes);
    return { durable, seen: Buffer.from(durable), unsure: new Set(), named: true };
  }
}

function copyOf({ durable, seen, unsure, named }: Written): Written {
  return { durable: Buffer.from(durable), seen: Buffer.from(seen), unsure: new Set(unsure), named };
}
