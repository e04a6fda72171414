/**
 * Recognizes the turns of one conversation, in any format, by what they have in common: the session that the caller
 * names, or how the conversation starts (system texts and the first user message). Reads a bounded part of a request,
 * because it runs before a call. Pure.
 */
import { expandText, type Inline, placedIn } from '../json/placeholders.ts';
import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../json/read-json.ts';
import { stringEnding, stringStart } from '../json/string-ends.ts';

/** Characters that are read at both ends of a text. */
const SAMPLE_CHARACTERS = 512;
/** Texts of this size have at least twice as many characters as a sample: one takes six bytes at most. */
const LONG_BYTES = 2 * 6 * SAMPLE_CHARACTERS;
/** Messages, and parts of a message, that are read. */
const PARTS_MAX = 16;
/** Longer session ids are cut. */
const SESSION_CHARACTERS_MAX = 256;

/** The headers in which clients send a session id, in the order of precedence. */
const SESSION_HEADERS = [
  'x-session-id',
  'session-id',
  'session_id',
  'x-claude-code-session-id',
  'x-session-affinity',
  'thread-id',
] as const;

export type CallerHeaders = Readonly<Record<string, string | undefined>>;

/** The same text for all turns of a conversation. */
export function conversationKey(request: object, headers: CallerHeaders | null, inline?: Inline): string {
  return namedSession(request, headers) ?? startOf(request as Json, inline);
}

/** The session that the caller names; null: none. */
export function namedSession(request: object, headers: CallerHeaders | null): string | null {
  return sessionInHeaders(headers) ?? sessionInBody(request as Json);
}

function sessionInHeaders(headers: CallerHeaders | null): string | null {
  if (headers === null) return null;
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (value !== undefined && value !== '') return cut(value);
  }
  return null;
}

function sessionInBody({ prompt_cache_key: key, metadata }: Json): string | null {
  if (typeof key === 'string' && key !== '') return cut(key);
  return sessionInUserId(textOf(objectOf(metadata).user_id));
}

/** Claude Code puts its session into this field: as JSON, and in older versions at the end of a name. */
export function sessionInUserId(userId: string): string | null {
  if (userId.startsWith('{')) return cut(textOf(parseObject(userId)?.session_id)) || null;
  return /_session_([\w-]{8,64})$/.exec(userId)?.[1] ?? null;
}

/** The end user in this field, without the session; null: none. */
export function endUserInUserId(userId: string): string | null {
  if (!userId.startsWith('{')) return userId.replace(/_session_[\w-]{8,64}$/, '') || null;
  const { user_id: user, account_uuid: account, device_id: device } = objectOf(parseObject(userId));
  return textOf(user) || textOf(account) || textOf(device) || null;
}

function cut(session: string): string {
  return session.slice(0, SESSION_CHARACTERS_MAX);
}

/**
 * Samples of the system texts and of the first user message. Only texts are read, so that a text is the same as a
 * string and as a part, and whether or not it is marked for the prompt cache in this turn.
 */
function startOf(request: Json, inline: Inline | undefined): string {
  const texts: string[] = [];
  const add = (text: string): void => {
    if (texts.length < PARTS_MAX) texts.push(sample(text, inline));
  };
  addTexts(request.system ?? request.instructions, add);
  const { input } = request;
  if (typeof input === 'string') add(input);
  const messages = Array.isArray(input) ? input : request.messages;
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue;
    addTexts(message.content, add);
    if (message.role === 'user' || texts.length >= PARTS_MAX) break;
  }
  return texts.join('\n');
}

function addTexts(content: unknown, add: (text: string) => void): void {
  if (typeof content === 'string') add(content);
  else for (const part of listOf(content).slice(0, PARTS_MAX)) addPart(part, add);
}

/** A text, or the address or content of an image or a file. */
function addPart(part: Json, add: (text: string) => void): void {
  const image = part.image_url;
  const { url, data } = objectOf(part.source);
  const { file_data: file } = objectOf(part.file);
  const texts = [part.text, image, objectOf(image).url, url, data, file, part.file_data, part.file_url];
  for (const text of texts) if (typeof text === 'string' && text !== '') add(text);
}

/** Both ends of a text: many prompts start alike. The same whether or not the text is held outside of the body. */
function sample(text: string, inline: Inline | undefined): string {
  const [number] = inline === undefined ? [] : placedIn(text, inline);
  if (inline === undefined || number === undefined) return endsOf(text, text);
  const piece = inline.pieces[number] ?? [];
  if (piece.reduce((sum, { length }) => sum + length, 0) < LONG_BYTES) {
    const whole = expandText(text, inline);
    return endsOf(whole, whole);
  }
  const before = text.slice(0, text.indexOf(inline.mark));
  return endsOf(before + stringStart(piece, SAMPLE_CHARACTERS), stringEnding(piece, SAMPLE_CHARACTERS));
}

function endsOf(start: string, end: string): string {
  return start.slice(0, SAMPLE_CHARACTERS) + end.slice(-SAMPLE_CHARACTERS);
}
