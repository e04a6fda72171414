/** Values in examples that are known only when an example runs, such as the id of a new file. */
import type { EndpointName } from '../endpoints.ts';

export type ExampleValue = string | number | boolean | ExampleResult | ExampleGiven;

/** A value in the answer to the first example of another endpoint. */
export class ExampleResult {
  readonly operation: EndpointName;
  /** `files.0.media_id` */
  readonly at: string;
  /** The part of the text that the group of this expression matches. */
  readonly part: RegExp | null;
  /** Whether the other example is sent again for this one alone. */
  readonly fresh: boolean;

  constructor(operation: EndpointName, at: string, options: { part?: RegExp; fresh?: true } = {}) {
    this.operation = operation;
    this.at = at;
    this.part = options.part ?? null;
    this.fresh = options.fresh ?? false;
  }

  pick(answer: unknown): unknown {
    const value = this.at
      .split('.')
      .reduce<unknown>((part, step) => (part as Record<string, unknown> | null)?.[step], answer);
    if (value === undefined) throw new Error(`${this.operation} answered nothing at ${this.at}`);
    return this.part === null ? value : this.part.exec(String(value))?.[1];
  }
}

/** A value that the installation has, such as the code of a sign-in link. */
export class ExampleGiven {
  readonly name: string;
  readonly shown: string | number;

  constructor(name: string, shown: string | number) {
    this.name = name;
    this.shown = shown;
  }
}

/** The value with every placeholder in it replaced. */
export function fillIn(
  value: unknown,
  find: (placeholder: ExampleResult | ExampleGiven) => unknown,
): unknown {
  if (value instanceof ExampleResult || value instanceof ExampleGiven) return find(value);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, find));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillIn(part, find)]));
}
