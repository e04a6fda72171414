/** Collects what changes in a relayed body. */
import type { RelayEdits } from '../text/text-format.ts';

export class Edits implements RelayEdits {
  readonly changes: Record<string, string> = {};
  readonly removed: string[] = [];

  set(name: string, value: object | string | null): void {
    if (value === null) this.removed.push(name);
    else this.changes[name] = JSON.stringify(value);
  }
}
