/**
 * What a client library is asked to do in these tests, in the words of none: each library does it in
 * its own way, with its own helpers, and tells what it saw.
 */
import { z } from 'zod';
import type { Place } from '../support/clients.ts';
import type { Dialect } from './client-gateway.ts';

export interface Asking {
  readonly model: string;
  readonly prompt: string;
  readonly system?: string;
  /** A PNG file. */
  readonly image?: Buffer;
  /** The thoughts are to be seen as well, where the library has a way to ask for them. */
  readonly thinks?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each piece of a streamed text. */
  readonly onText?: (piece: string) => void;
}

export interface Used {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

export interface Said {
  readonly text: string;
  readonly thoughts: string;
  /** As the library tells it, added up over a loop; null when it knows none. */
  readonly usage: Used | null;
}

export interface Failure {
  readonly status: number | undefined;
  /** The gateway's code. */
  readonly code: string | null | undefined;
  readonly message: string;
  /** What to quote when asking for help. */
  readonly ref: string | null | undefined;
}

export interface Library {
  ask(asking: Asking): Promise<Said>;
  stream(asking: Asking): Promise<Said>;
  /** Offers both tools and goes on until there is an answer: by the library's own loop, where it has one. */
  useTools(asking: Asking, bench: ToolBench): Promise<Said>;
  streamTools(asking: Asking, bench: ToolBench): Promise<Said>;
  /** An answer that fits `Weather`, parsed by the library. */
  fill(asking: Asking): Promise<{ value: unknown; usage: Used | null }>;
  streamFill(asking: Asking): Promise<{ value: unknown; usage: Used | null }>;
  /** One conversation, carried on as the library does it. */
  talk(model: string, prompts: readonly string[]): Promise<string[]>;
  failure(thrown: unknown): Failure;
}

export interface LibraryUse {
  /** As it stands in the titles. */
  readonly name: string;
  /** The dialect the library speaks itself: the gateway relays it. */
  readonly own: Dialect;
  open(place: Place, options?: { readonly maxRetries?: number }): Library;
  /** What of the gateway's count the library can know of a stream; all of it by default. */
  knowsOfStream?(used: Used, on: Dialect): Partial<Used>;
  /** The dialects whose thoughts it shows. */
  readonly shows: readonly Dialect[];
}

export const Weather = z.object({ city: z.string(), degrees: z.number(), clear: z.boolean() });
export const WeatherQuestion = z.object({ city: z.string() });
export const TimeQuestion = z.object({ zone: z.string() });

/** Two tools, and what they were called with. */
export class ToolBench {
  readonly used: Array<{ tool: string; input: unknown }> = [];

  readonly getWeather = (input: unknown): string => this.#use('get_weather', input, '21 degrees');
  readonly getTime = (input: unknown): string => this.#use('get_time', input, 'half past nine');

  run(tool: string, input: unknown): string {
    return tool === 'get_weather' ? this.getWeather(input) : this.getTime(input);
  }

  #use(tool: string, input: unknown, result: string): string {
    this.used.push({ tool, input });
    return result;
  }
}

export const dataUrl = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`;

/** Usages of one loop together; unknown as soon as one of them is. */
export function addUsed(usages: ReadonlyArray<Used | null>): Used | null {
  return usages.reduce(
    (sum, used) =>
      sum &&
      used && {
        input: sum.input + used.input,
        output: sum.output + used.output,
        total: sum.total + used.total,
      },
    { input: 0, output: 0, total: 0 },
  );
}
