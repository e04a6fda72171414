import { limitTooHigh, listOfOne, RED_PIXEL } from './example-parts.ts';
import { ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const media = 'media_01kdm62q5u9y3c7f1j5n9r3twz';

const uploaded = {
  file_id: 'ref_01kdm64v1a5d9g3k7n1r5u9xbf',
  reference: 'svc-file://ref_01kdm64v1a5d9g3k7n1r5u9xbf',
  bytes: 70,
  track: 'file',
};

export const referencesDocs: TagDocs = {
  tag: 'References and media',
  description: 'Files that go into generations, and files that come out of jobs.',
  operations: {
    createReference: {
      description:
        'Uploads a file once, to be used in many calls: `reference` is accepted wherever a request takes the URL of an image, video or audio file. It is kept for 30 days after its last use.',
      examples: [
        {
          title: 'An image',
          form: { file: { filename: 'kite.png', type: 'image/png', content: { base64: RED_PIXEL } } },
          answer: uploaded,
        },
      ],
      errors: {
        validation_error: {
          detail: 'track must be file or managed',
          items: [{ loc: ['query', 'track'], msg: 'track must be file or managed', type: 'enum' }],
          provoke: { query: { track: 'other' } },
        },
      },
    },
    createMediaLink: {
      description:
        'The link works for anyone who has it and cannot be revoked, so keep it short. It ends at the latest when the file is deleted.',
      path: { media_id: 'The id of the file, from the job.' },
      examples: [
        {
          title: 'Ten minutes',
          path: { media_id: new ExampleResult('getJob', 'files.0.media_id') },
          body: { expires_in_seconds: 600 },
          answer: {
            media_id: media,
            url: `http://localhost:8080/media/${media}?expires=1794806664&signature=OUhWGl1DxTzF35wJ99h1045Az2Vibj0lE8USGeUIl6Y`,
            expires_at: 1794806664,
            mime_type: 'video/mp4',
            bytes: 18041,
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'expires_in_seconds must be >= 60.',
          param: 'expires_in_seconds',
          provoke: { body: { expires_in_seconds: 5 } },
        },
      },
    },
    getMedia: {
      description:
        'Serves a link. It needs no key, because the link is signed: use it unchanged. One `Range` per request, `If-Range` and `If-None-Match` are supported.',
      path: { id: 'The id of the file, from the link.' },
      examples: [
        {
          title: 'A video',
          path: { id: new ExampleResult('createMediaLink', 'media_id') },
          query: {
            expires: new ExampleResult('createMediaLink', 'url', { part: /expires=(\d+)/ }),
            signature: new ExampleResult('createMediaLink', 'url', { part: /signature=([\w-]+)/ }),
          },
          answer: '(the bytes of the file)',
        },
      ],
      errors: {
        media_not_found: {
          detail:
            'This link is invalid or has expired. Create a new one with POST /v1/media/{media_id}/link, and use it unchanged.',
          provoke: { query: { expires: '1794806664', signature: 'changed' } },
        },
      },
    },
    listReferences: {
      description: 'Lists the references that the key uploaded and that have not expired, the newest first.',
      examples: [
        {
          title: 'The newest references',
          query: { limit: 20 },
          after: ['createReference'],
          answer: listOfOne({
            id: uploaded.file_id,
            object: 'reference',
            ...uploaded,
            kind: 'image',
            mime_type: 'image/png',
            created_at: 1794806032,
          }),
        },
      ],
      errors: { invalid_parameter: limitTooHigh(100) },
    },
  },
};
