/** Faults of the HTTP message itself: its time, headers, length, encoding and size. */

import { gzipSync } from 'node:zlib';
import { MIB } from '../../src/kernel/bytes.ts';
import { type Exchange, framesOf, openAndWrite, playFrames, playWell, wholeText } from '../play.ts';
import { honestBill } from '../script.ts';

const HUGE_BYTES = 64 * MIB;
const BOMB_BYTES = 1024 * MIB;
const HEADERS_BYTES = MIB;
const HEADERS_COUNT = 64;
const FIRST_BYTE_DELAY_MS = 2_000;
const SLOW_PACE_MS = 200;
const SLOW_PIECES = 8;

export async function delayFirstByte(exchange: Exchange): Promise<void> {
  await exchange.reply.wait(exchange.cues.delayMs ?? FIRST_BYTE_DELAY_MS);
  if (!exchange.reply.gone) await playWell(exchange);
}

export async function playSlowly(exchange: Exchange): Promise<void> {
  const { script, cues, reply } = exchange;
  const paceMs = cues.paceMs ?? cues.delayMs ?? SLOW_PACE_MS;
  if (script.stream) return playFrames({ ...exchange, cues: { ...cues, paceMs } }, framesOf(exchange));
  const body = Buffer.from(wholeText(exchange));
  const size = Math.ceil(body.length / SLOW_PIECES);
  reply.open({ 'content-type': 'application/json', 'content-length': String(body.length) });
  const pieces = Array.from({ length: SLOW_PIECES }, (_, i) => body.subarray(i * size, (i + 1) * size));
  await reply.writeAll(pieces, paceMs);
  reply.end();
}

export function neverAnswer(): void {}

export function resetConnection({ reply }: Exchange): void {
  reply.reset();
}

export async function promiseTooMuch(exchange: Exchange): Promise<void> {
  const body = wholeText(exchange);
  const length = Buffer.byteLength(body) + 1_000;
  exchange.reply.open({ 'content-type': typeOf(exchange), 'content-length': String(length) });
  await exchange.reply.writeOut(body);
  exchange.reply.hangUp();
}

export function promiseTooLittle(exchange: Exchange): void {
  const body = wholeText(exchange);
  const length = Math.floor(Buffer.byteLength(body) / 2);
  exchange.reply.send(200, { 'content-type': typeOf(exchange), 'content-length': String(length) }, body);
}

export function sendPage({ reply }: Exchange): void {
  const page =
    '<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body>Checking</body></html>\n';
  reply.send(200, { 'content-type': 'text/html; charset=UTF-8' }, page);
}

export function sendBrokenJson({ script, reply }: Exchange): void {
  const body = script.body(honestBill);
  reply.sendJson(200, body.slice(0, body.length / 2));
}

export function sendNothing(exchange: Exchange): void {
  exchange.reply.send(200, { 'content-type': typeOf(exchange) }, '');
}

export function sendElsewhere({ reply }: Exchange): void {
  reply.send(302, { location: '/v1/elsewhere' }, '');
}

export function sendHugeHeaders({ script, cues, reply }: Exchange): void {
  const value = 'h'.repeat((cues.bytes ?? HEADERS_BYTES) / HEADERS_COUNT);
  const headers: Record<string, string> = {};
  for (let i = 0; i < HEADERS_COUNT; i++) headers[`x-huge-${i}`] = value;
  reply.sendJson(200, script.body(honestBill), headers);
}

/** Valid JSON, most of it blank; its length is not told. */
export async function sendHugeBody({ script, cues, reply }: Exchange): Promise<void> {
  const body = script.body(honestBill);
  reply.open({ 'content-type': 'application/json' });
  await reply.writeAll(['{']);
  await reply.writeAll(fill(' ', cues.bytes ?? HUGE_BYTES));
  await reply.writeAll([body.slice(1)]);
  reply.end();
}

export async function sendHugeLine(exchange: Exchange): Promise<void> {
  if (!exchange.script.stream) return sendHugeBody(exchange);
  const { cues, reply } = exchange;
  const frames = framesOf(exchange);
  await openAndWrite(exchange, frames.slice(0, 1));
  await reply.writeAll(['data: ']);
  await reply.writeAll(fill('a', cues.bytes ?? HUGE_BYTES));
  await reply.writeAll(['\n\n']);
  await reply.writeAll(frames.slice(1).map((frame) => frame.text));
  reply.end();
}

/** Gzip files may be strung together, so a small one sent often swells to any size. */
export async function sendBomb(exchange: Exchange): Promise<void> {
  const { cues, reply } = exchange;
  reply.open({ 'content-type': typeOf(exchange), 'content-encoding': 'gzip' });
  const member = gzipSync(Buffer.alloc(MIB, ' '), { level: 9 });
  const count = Math.ceil((cues.bytes ?? BOMB_BYTES) / MIB);
  await reply.writeAll(repeat(member, count));
  reply.end();
}

function typeOf(exchange: Exchange): string {
  return exchange.script.stream ? 'text/event-stream; charset=utf-8' : 'application/json';
}

function* fill(character: string, bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(Math.min(bytes, MIB), character);
  for (let left = bytes; left > 0; left -= block.length)
    yield block.subarray(0, Math.min(left, block.length));
}

function* repeat(piece: Buffer, count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield piece;
}
