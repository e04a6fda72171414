/** The `video:` settings of a provider: how its HTTP interface for videos works. */
import { Type } from 'typebox';
import type { JsonPointer } from '../kernel/json/json-pointer.ts';

export const inputEncodings = ['url', 'data_url', 'base64'] as const;
export type InputEncoding = (typeof inputEncodings)[number];

/** The placeholders of a body, named like the fields of `POST /v1/video/generations`. */
export const videoPlaceholders = [
  ...['prompt', 'model', 'client_id', 'duration_seconds', 'aspect_ratio', 'resolution', 'fps', 'seed'],
  ...['generate_audio', 'n', 'image_url', 'image_type', 'last_frame_url', 'last_frame_type'],
  ...['reference_urls', 'video_url', 'video_type', 'audio_url', 'audio_type'],
] as const;
/** Placeholders for the bytes of a file, which must be a whole string. */
export const inputPlaceholders = [
  'image_url',
  'last_frame_url',
  'reference_urls',
  'video_url',
  'audio_url',
] as const;

/** A placeholder in a template. */
export const TEMPLATE_PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export const videoStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type VideoStateName = (typeof videoStates)[number];

export interface HttpVideoSettings {
  readonly auth: { readonly header: string; readonly prefix: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly inputs: InputEncoding;
  readonly create: {
    readonly path: string;
    /** JSON with `{{placeholders}}` in its strings. */
    readonly body: unknown;
    readonly id: JsonPointer;
    /** The header for our id. */
    readonly idempotencyHeader: string | null;
  };
  /** The JSON pointers below are relative to `job`. */
  readonly job: JsonPointer;
  readonly status: {
    readonly path: string;
    readonly state: JsonPointer;
    /** Our states by the provider's. */
    readonly states: ReadonlyMap<string, VideoStateName>;
    readonly progress: JsonPointer | null;
    /** The progress value that means 100 %. */
    readonly progressOf: number;
    readonly seconds: JsonPointer | null;
    readonly charged: JsonPointer | null;
    readonly files: JsonPointer;
    /** JSON pointer to the URL within a file; left out if the file is a URL. */
    readonly fileUrl: JsonPointer;
  };
  readonly lookup: { readonly path: string; readonly jobs: JsonPointer } | null;
  readonly cancel: { readonly method: 'POST' | 'DELETE'; readonly path: string } | null;
  readonly remove: { readonly path: string } | null;
  readonly error: {
    readonly message: JsonPointer | null;
    readonly code: JsonPointer | null;
    /** Error codes that mean that the content was blocked. */
    readonly blocked: ReadonlySet<string>;
  };
  readonly fileHosts: readonly string[];
}

const closed = { additionalProperties: false } as const;
const Text = Type.String({ minLength: 1 });
const OptionalText = Type.Optional(Type.String());
const Words = Type.Optional(Type.Array(Text));

/** As written in the file. */
export const HttpVideoEntry = Type.Object(
  {
    auth: Type.Optional(Type.Object({ header: Type.Optional(Text), prefix: OptionalText }, closed)),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    inputs: Type.Optional(Type.Enum([...inputEncodings])),
    job: OptionalText,
    create: Type.Object(
      { path: Text, body: Text, id: OptionalText, idempotency_header: OptionalText },
      closed,
    ),
    status: Type.Object(
      {
        path: Text,
        state: Text,
        states: Type.Object(
          { queued: Words, running: Words, succeeded: Words, failed: Words, cancelled: Words },
          closed,
        ),
        progress: OptionalText,
        progress_of: Type.Optional(Type.Integer({ minimum: 1 })),
        seconds: OptionalText,
        charged: OptionalText,
        files: Type.String(),
        file_url: OptionalText,
      },
      closed,
    ),
    lookup: Type.Optional(Type.Object({ path: Text, jobs: OptionalText }, closed)),
    cancel: Type.Optional(
      Type.Object({ method: Type.Optional(Type.Enum(['POST', 'DELETE'])), path: Text }, closed),
    ),
    remove: Type.Optional(Type.Object({ path: Text }, closed)),
    error: Type.Optional(Type.Object({ message: OptionalText, code: OptionalText, blocked: Words }, closed)),
    file_hosts: Words,
  },
  closed,
);
