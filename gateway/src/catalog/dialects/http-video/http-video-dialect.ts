/** Video providers with an HTTP interface that the configuration describes. */
import { type Static, Type } from 'typebox';
import { ConfigError } from '../../../yaml/config-error.ts';
import type { DialectFacts } from '../dialect-facts.ts';
import { HttpVideoEntry, type HttpVideoSettings } from './http-video.ts';
import { readHttpVideo } from './read-http-video.ts';

interface VideoKeys {
  readonly video?: Static<typeof HttpVideoEntry>;
}

interface VideoSettings {
  /** How its HTTP interface works. */
  readonly video?: HttpVideoSettings;
}

export const httpVideoDialect = {
  keyless: true,
  oneKey: true,
  only: 'video',
  finishReasons: {},
  own: { fields: { video: Type.Optional(HttpVideoEntry) }, read: readVideoKeys },
} as const satisfies DialectFacts;

function readVideoKeys({ video }: VideoKeys, place: string): VideoSettings {
  if (video === undefined)
    throw ConfigError.at(`${place}.video`, "is required: it describes the provider's HTTP interface");
  return { video: readHttpVideo(video, `${place}.video`) };
}
