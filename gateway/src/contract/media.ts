/** Links to the files of jobs: `POST /v1/media/{media_id}/link`. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

export const LINK_SECONDS_MIN = 60;
export const LINK_SECONDS_MAX = 86_400;
export const LINK_SECONDS_DEFAULT = 3_600;

export const MediaLinkRequest = Type.Object(
  {
    expires_in_seconds: Type.Optional(
      nullable(
        Type.Integer({
          minimum: LINK_SECONDS_MIN,
          maximum: LINK_SECONDS_MAX,
          description: `How long the link works. Default: ${LINK_SECONDS_DEFAULT}.`,
        }),
      ),
    ),
  },
  { additionalProperties: false, description: 'How long a link should work.' },
);
export type MediaLinkRequest = Static<typeof MediaLinkRequest>;

export const MediaLink = Type.Object(
  {
    media_id: Type.String({ description: 'The id of the file.' }),
    url: Type.String({ description: 'Anyone with this URL can read the file until it expires.' }),
    expires_at: Type.Integer({ description: 'When the link expires, in Unix seconds.' }),
    mime_type: Type.String({ description: 'The type of the file.' }),
    bytes: Type.Integer({ description: 'The size of the file.' }),
  },
  { description: 'A link to a file.' },
);
export type MediaLink = Static<typeof MediaLink>;

/** The query parameters of a link, which must not be changed. */
export const MediaQuery = Type.Object({
  expires: Type.String({ description: 'When the link expires, in Unix seconds.' }),
  signature: Type.String({ description: 'Proves that the link was not changed.' }),
});
