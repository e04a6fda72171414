/**
 * The stand-in provider, a process of its own. It answers from buffers made beforehand, so that it
 * costs little beside what is measured. Frames are written one per turn of the event loop: several
 * in one turn would leave as one packet and hide what relaying a stream costs.
 */
import { createServer, type ServerResponse } from 'node:http';
import { listenForParent } from './child-process.ts';
import { embeddingsAnswer, type VectorEncoding } from './embeddings-workload.ts';
import { IMAGES_PATH, imageAnswer } from './images.ts';
import { providerHeaderList, SHORT_HEADS } from './usual-heads.ts';
import {
  paths,
  STAMPED_MODEL,
  stampedFrame,
  streamFrames,
  type TextWire,
  UPSTREAM_MODEL,
  wholeAnswer,
} from './workload.ts';

const whole = Buffer.from(wholeAnswer());
/** With the framing of a chunked body already around it. */
const chunkOf = (frame: string): Buffer =>
  Buffer.from(`${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`);
const framesOf: Readonly<Record<TextWire, readonly Buffer[]>> = {
  chat: streamFrames('chat').map(chunkOf),
  messages: streamFrames('messages').map(chunkOf),
};
const more = process.argv.includes(SHORT_HEADS) ? [] : providerHeaderList;
const wholeHeaders = [...more, 'Content-Type', 'application/json', 'Content-Length', String(whole.length)];
const streamHeaders = [...more, 'Content-Type', 'text/event-stream; charset=utf-8'];
const STREAM = Buffer.from('"stream":true');
const STAMPED = Buffer.from(`"model":"${STAMPED_MODEL}"`);
const SLOW = /"model":"slow-(\d{1,5})"/;
/** What a call asks for stands at its beginning or its end; the rest of a large body is read and dropped. */
const BODY_BYTES_READ = 1024 * 1024;

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let last: Buffer = Buffer.alloc(0);
  request.on('data', (chunk: Buffer) => {
    if (bytes >= BODY_BYTES_READ && bytes - last.length >= BODY_BYTES_READ) chunks.pop();
    chunks.push(chunk);
    last = chunk;
    bytes += chunk.length;
  });
  request.on('end', () => {
    const [only] = chunks;
    const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    if (request.url === IMAGES_PATH) draw(response);
    else if (request.url === paths.embeddings) embed(body.includes(BASE64) ? 'base64' : 'float', response);
    else answer(body, request.url === paths.messages ? 'messages' : 'chat', response);
  });
});

const BASE64 = Buffer.from('"encoding_format":"base64"');
const embeddings = new Map<VectorEncoding, Buffer>();

/** Made when first asked for: they are large. */
function embed(encoding: VectorEncoding, response: ServerResponse): void {
  const made = embeddings.get(encoding) ?? embeddingsAnswer(encoding, UPSTREAM_MODEL);
  embeddings.set(encoding, made);
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(made.length)]);
  response.end(made);
}

function answer(body: Buffer, wire: TextWire, response: ServerResponse): void {
  const frames = framesOf[wire];
  if (!body.includes(STREAM)) {
    response.writeHead(200, wholeHeaders);
    response.end(whole);
    return;
  }
  response.writeHead(200, streamHeaders);
  response.flushHeaders();
  const paceMs = Number(SLOW.exec(body.toString('latin1'))?.[1] ?? 0);
  let at = 0;
  const next = (): void => {
    const stamped = at === 0 && body.includes(STAMPED);
    const frame = stamped ? chunkOf(stampedFrame(process.hrtime.bigint())) : frames[at];
    at++;
    if (response.destroyed || frame === undefined) return;
    // Past the response object, which would frame each chunk again and write it in three pieces.
    response.socket?.write(frame);
    if (at === frames.length) response.end();
    else if (paceMs > 0) setTimeout(next, paceMs);
    else setImmediate(next);
  };
  next();
}

let drawn: Buffer | null = null;

function draw(response: ServerResponse): void {
  drawn ??= imageAnswer();
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(drawn.length)]);
  response.end(drawn);
}

listenForParent(server);
