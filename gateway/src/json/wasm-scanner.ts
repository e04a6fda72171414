/**
 * A scanner of strings that takes 16 bytes at a time. JavaScript takes 3 to 4 ns per byte for the same, which is more
 * than the engine's parser takes for everything; this takes a tenth of it.
 *
 * The program is WebAssembly, written out below in its binary form: it is too small for a compiler in the build.
 */
import { JSON_BYTES } from './json-bytes.ts';
import {
  AFTER_BACKSLASH,
  FIRST_HEX_DIGIT,
  HEX_DIGITS,
  IN_STRING,
  MALFORMED,
  NOT_ENDED,
  SHORT_ESCAPES,
  type StringScanner,
} from './string-scanner.ts';

const { BACKSLASH, LETTER_U, QUOTE, SPACE } = JSON_BYTES;

export function wasmScanner(): StringScanner {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: WebAssemblyEngine };
  const { find, memory, state } = new engine.Instance(new engine.Module(program())).exports as Program;
  const bytes = new Uint8Array(memory.buffer);
  for (const byte of SHORT_ESCAPES) bytes[byte] = SHORT_ESCAPE;
  for (const byte of HEX_DIGITS) bytes[byte] = (bytes[byte] ?? 0) | HEX_DIGIT;
  return { load: (loaded) => bytes.set(loaded, TEXT_AT), scan: find, state };
}

/** The memory: what a byte may be inside an escape, then the text. */
const TEXT_AT = 256;
const SHORT_ESCAPE = 1;
const HEX_DIGIT = 2;
const PAGES = 2;

const op = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  else: [0x05],
  end: [0x0b],
  return: [0x0f],
  equal: [0x46],
  lessThan: [0x48],
  greaterOrEqual: [0x4e],
  isZero: [0x45],
  trailingZeros: [0x68],
  add: [0x6a],
  subtract: [0x6b],
  and: [0x71],
  splat: [0xfd, 0x0f],
  equalBytes: [0xfd, 0x23],
  lessThanBytes: [0xfd, 0x26],
  orBytes: [0xfd, 0x50],
  bitmask: [0xfd, 0x64],
} as const;

const number = (value: number): number[] => [0x41, ...signed(value)];
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const again = (depth: number): number[] => [0x0c, depth];
const getState = [0x23, 0];
const setState = [0x24, 0];
const loadByte = (offset: number): number[] => [0x2d, 0, ...unsigned(offset)];
const loadBytes = (offset: number): number[] => [0xfd, 0x00, 0, ...unsigned(offset)];

const AT = 0;
const END = 1;
const FOUND = 2;
const QUOTES = 3;
const BACKSLASHES = 4;
const SPACES = 5;
const [I32, V128] = [0x7f, 0x7b];

const everyByte = (byte: number, local: number): number[] => [...number(byte), ...op.splat, ...set(local)];
const step = (by: number[]): number[] => [...get(AT), ...by, ...op.add, ...set(AT)];
const answer = (value: number[]): number[] => [...value, ...op.return];
const when = (condition: readonly number[], then: readonly number[]): number[] => [
  ...condition,
  ...op.if,
  ...then,
  ...op.end,
];

/** Outside an escape: steps over 16 bytes, or to the first that is a quote, a backslash or a control character. */
const plainText = [
  ...[...get(AT), ...loadBytes(TEXT_AT), ...get(QUOTES), ...op.equalBytes],
  ...[...get(AT), ...loadBytes(TEXT_AT), ...get(BACKSLASHES), ...op.equalBytes, ...op.orBytes],
  ...[...get(AT), ...loadBytes(TEXT_AT), ...get(SPACES), ...op.lessThanBytes, ...op.orBytes],
  ...[...op.bitmask, ...tee(FOUND), ...op.isZero],
  ...[...op.if, ...step(number(16)), ...again(2), ...op.end],
  ...step([...get(FOUND), ...op.trailingZeros]),
  ...when([...get(AT), ...get(END), ...op.greaterOrEqual], answer(number(NOT_ENDED))),
  ...[...get(AT), ...loadByte(TEXT_AT), ...set(FOUND)],
  ...when([...get(FOUND), ...number(QUOTE), ...op.equal], answer(get(AT))),
  ...when([...get(FOUND), ...number(SPACE), ...op.lessThan], answer(number(MALFORMED))),
  // Most escapes have two bytes, both here.
  ...[...get(AT), ...number(1), ...op.add, ...get(END), ...op.lessThan, ...op.if],
  ...[...get(AT), ...loadByte(TEXT_AT + 1), ...loadByte(0), ...number(SHORT_ESCAPE), ...op.and],
  ...[...op.if, ...step(number(2)), ...again(3), ...op.end, ...op.end],
  ...[...number(AFTER_BACKSLASH), ...setState, ...step(number(1))],
];

/** Inside an escape: checks one byte. */
const escapedText = [
  ...[...get(AT), ...loadByte(TEXT_AT), ...set(FOUND), ...step(number(1))],
  ...[...getState, ...number(AFTER_BACKSLASH), ...op.equal, ...op.if],
  ...[...get(FOUND), ...number(LETTER_U), ...op.equal, ...op.if],
  ...[...number(FIRST_HEX_DIGIT), ...setState, ...again(3), ...op.end],
  ...[...get(FOUND), ...loadByte(0), ...number(SHORT_ESCAPE), ...op.and, ...op.isZero],
  ...[...op.if, ...answer(number(MALFORMED)), ...op.end],
  ...[...number(IN_STRING), ...setState],
  ...op.else,
  ...[...get(FOUND), ...loadByte(0), ...number(HEX_DIGIT), ...op.and, ...op.isZero],
  ...[...op.if, ...answer(number(MALFORMED)), ...op.end],
  ...[...getState, ...number(1), ...op.subtract, ...setState],
  ...when([...getState, ...number(1), ...op.equal], [...number(IN_STRING), ...setState]),
  ...op.end,
];

const body = [
  ...[2, 1, I32, 3, V128],
  ...everyByte(QUOTE, QUOTES),
  ...everyByte(BACKSLASH, BACKSLASHES),
  ...everyByte(SPACE, SPACES),
  ...op.loop,
  ...when([...get(AT), ...get(END), ...op.greaterOrEqual], answer(number(NOT_ENDED))),
  ...[...getState, ...op.isZero, ...op.if, ...plainText, ...op.else, ...escapedText, ...op.end],
  ...again(0),
  ...op.end,
  // Not reached, but the loop has no value of its own.
  ...number(NOT_ENDED),
  ...op.end,
];

const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];
const exported = (name: string, kind: number): number[] => [name.length, ...Buffer.from(name), kind, 0];

const program = (): Uint8Array =>
  Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, I32, I32, 1, I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, PAGES]),
    ...section(6, [1, I32, 1, ...number(IN_STRING), ...op.end]),
    ...section(7, [3, ...exported('find', 0), ...exported('memory', 2), ...exported('state', 3)]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);

interface Program {
  readonly find: (from: number, end: number) => number;
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly state: { value: number };
}

/** The types of the language do not include it. */
interface WebAssemblyEngine {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)];
}

function signed(value: number): number[] {
  const last = value >= -64 && value < 64;
  return last ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
