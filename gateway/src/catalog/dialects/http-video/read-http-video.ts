/** Reads the `video:` settings of a provider and rejects invalid ones. Pure. */
import type { Static } from 'typebox';
import { type JsonPointer, parsePointer } from '../../../json/json-pointer.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { ConfigError } from '../../../yaml/config-error.ts';
import { ConfigProblems } from '../../../yaml/config-problems.ts';
import {
  type HttpVideoEntry,
  type HttpVideoSettings,
  inputPlaceholders,
  TEMPLATE_PLACEHOLDER,
  type VideoStateName,
  videoDefaults,
  videoPlaceholders,
  videoStates,
} from './http-video.ts';

type Entry = Static<typeof HttpVideoEntry>;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const PATH_WORD = /\{([^{}]*)\}/g;

/** `place` is its path in the file, such as `providers.acme.video`. */
export function readHttpVideo(entry: Entry, place: string): HttpVideoSettings {
  const { create, status, lookup, cancel, remove, error } = entry;
  const problems = new ConfigProblems();
  const pointer = (text: string, name: string): JsonPointer =>
    problems.attempt(() => readPointer(text, `${place}.${name}`)) ?? [];
  const maybe = (text: string | undefined, name: string): JsonPointer | null =>
    text === undefined ? null : pointer(text, name);
  const path = (text: string, name: string, words: readonly string[]): string =>
    problems.attempt(() => readPath(text, `${place}.${name}.path`, words)) ?? text;
  const header = create.idempotency_header ?? null;
  const headerNames = [entry.auth?.header, header, ...Object.keys(entry.headers ?? {})];
  for (const name of headerNames) if (name != null) problems.attempt(() => checkHeader(name, place));
  if (lookup !== undefined && header === null && !/\{\{client_id\}\}/.test(create.body)) {
    problems.add(
      ConfigError.at(
        `${place}.lookup`,
        'needs the provider to know our id: put {{client_id}} into create.body, or name a create.idempotency_header',
      ),
    );
  }
  const settings: HttpVideoSettings = {
    auth: {
      header: entry.auth?.header ?? videoDefaults.header,
      prefix: entry.auth?.prefix ?? videoDefaults.prefix,
    },
    headers: entry.headers ?? {},
    inputs: entry.inputs ?? videoDefaults.inputs,
    job: pointer(entry.job ?? '', 'job'),
    create: {
      path: path(create.path, 'create', []),
      body: problems.attempt(() => readTemplate(create.body, `${place}.create.body`)),
      id: pointer(create.id ?? videoDefaults.id, 'create.id'),
      idempotencyHeader: header,
    },
    status: {
      path: path(status.path, 'status', ['id']),
      state: pointer(status.state, 'status.state'),
      states: problems.attempt(() => readStates(status.states, `${place}.status.states`)) ?? new Map(),
      progress: maybe(status.progress, 'status.progress'),
      progressOf: status.progress_of ?? videoDefaults.progressOf,
      seconds: maybe(status.seconds, 'status.seconds'),
      charged: maybe(status.charged, 'status.charged'),
      files: pointer(status.files, 'status.files'),
      fileUrl: pointer(status.file_url ?? '', 'status.file_url'),
    },
    lookup:
      lookup === undefined
        ? null
        : {
            path: path(lookup.path, 'lookup', ['client_id']),
            jobs: pointer(lookup.jobs ?? '', 'lookup.jobs'),
          },
    cancel:
      cancel === undefined
        ? null
        : {
            method: cancel.method ?? videoDefaults.method,
            path: path(cancel.path, 'cancel', ['id']),
          },
    remove: remove === undefined ? null : { path: path(remove.path, 'remove', ['id']) },
    error: {
      message: maybe(error?.message, 'error.message'),
      code: maybe(error?.code, 'error.code'),
      blocked: new Set(error?.blocked),
    },
    fileHosts: entry.file_hosts ?? [],
  };
  problems.throwAny();
  return settings;
}

function readPointer(text: string, place: string): JsonPointer {
  const pointer = parsePointer(text);
  if (pointer === null) throw ConfigError.at(place, `is not a JSON pointer such as /job/id`);
  return pointer;
}

/** Checks that it has each of these placeholders and no other. */
function readPath(path: string, place: string, words: readonly string[]): string {
  if (!path.startsWith('/'))
    throw ConfigError.at(place, `must start with a slash; it is appended to base_url`);
  const found = [...path.matchAll(PATH_WORD)].map((match) => match[1] as string);
  const missing = words.find((word) => !found.includes(word));
  if (missing !== undefined) throw ConfigError.at(place, `must have {${missing}} in it`);
  const unknown = found.find((word) => !words.includes(word));
  if (unknown === undefined) return path;
  const known = words.length === 0 ? 'no word can stand there' : `known here: {${words.join('}, {')}}`;
  throw ConfigError.at(place, `has {${unknown}} in it; ${known}`);
}

function readTemplate(text: string, place: string): unknown {
  const body = parseJson(text, place);
  let hasPrompt = false;
  for (const value of textsIn(body)) {
    for (const [placed, word = ''] of value.matchAll(TEMPLATE_PLACEHOLDER)) {
      if (!(videoPlaceholders as readonly string[]).includes(word)) {
        const guess = nearest(word, [...videoPlaceholders]);
        const hint = guess === null ? `known: ${videoPlaceholders.join(', ')}` : `did you mean {{${guess}}}?`;
        throw ConfigError.at(place, `has ${placed} in it; ${hint}`);
      }
      if ((inputPlaceholders as readonly string[]).includes(word) && value !== placed) {
        throw ConfigError.of(place, `${placed} must be the whole string`);
      }
      hasPrompt ||= word === 'prompt';
    }
  }
  if (!hasPrompt) throw ConfigError.at(place, `must have {{prompt}} in it`);
  return body;
}

function parseJson(text: string, place: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Checked below.
  }
  throw ConfigError.at(place, `is not a JSON object; write it as a text after "body: |"`);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* textsIn(item);
  }
}

function readStates(entry: Entry['status']['states'], place: string): ReadonlyMap<string, VideoStateName> {
  const states = new Map<string, VideoStateName>();
  for (const ours of videoStates) {
    for (const theirs of entry[ours] ?? []) {
      const other = states.get(theirs);
      if (other !== undefined)
        throw ConfigError.of(place, `${theirs} is mapped to both ${other} and ${ours}`);
      states.set(theirs, ours);
    }
  }
  for (const needed of ['succeeded', 'failed'] as const) {
    if (![...states.values()].includes(needed))
      throw ConfigError.at(`${place}.${needed}`, 'must name a state');
  }
  return states;
}

function checkHeader(name: string, place: string): void {
  if (!HEADER_NAME.test(name))
    throw ConfigError.of(place, `${JSON.stringify(name)} is not a valid header name`);
}
