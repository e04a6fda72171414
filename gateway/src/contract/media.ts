/** Links to the files of jobs: `POST /v1/media/{media_id}/link`. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

export const LINK_SECONDS_MIN = 60;
export const LINK_SECONDS_MAX = 86_400;
export const LINK_SECONDS_DEFAULT = 3_600;

export const MediaLinkRequest = Type.Object(
  {
    expires_in_seconds: Type.Optional(
      nullable(Type.Integer({ minimum: LINK_SECONDS_MIN, maximum: LINK_SECONDS_MAX })),
    ),
  },
  { additionalProperties: false },
);
export type MediaLinkRequest = Static<typeof MediaLinkRequest>;

export const MediaLink = Type.Object({
  media_id: Type.String(),
  url: Type.String({ description: 'Anyone with this URL can read the file until it expires.' }),
  expires_at: Type.Integer({ description: 'Unix seconds.' }),
  mime_type: Type.String(),
  bytes: Type.Integer(),
});
export type MediaLink = Static<typeof MediaLink>;

/** The query parameters of a link, which must not be changed. */
export const MediaQuery = Type.Object({
  expires: Type.String({ description: 'Unix seconds.' }),
  signature: Type.String(),
});
