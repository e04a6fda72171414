/** The endpoints of references and of links to the files of jobs; part of the table in endpoints.ts. */
import { Type } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { MediaLink, MediaLinkRequest, MediaQuery } from './media.ts';
import { PageQuery } from './pages.ts';
import { ReferenceList, ReferenceQuery, ReferenceUpload, ReferenceUploadForm } from './references.ts';

export const mediaEndpoints = {
  createReference: {
    method: 'POST',
    path: '/v1/references',
    credential: 'gateway',
    summary: 'Upload a reference.',
    query: ReferenceQuery,
    form: ReferenceUploadForm,
    response: ReferenceUpload,
    problems: [
      'validation_error',
      'REFERENCE_UPLOAD_REJECTED',
      'REFERENCE_TOO_LARGE',
      'REFERENCE_UPLOAD_UNAVAILABLE',
    ],
  },
  listReferences: {
    method: 'GET',
    path: '/v1/references',
    credential: 'gateway',
    summary: 'List the references that you uploaded, the newest first.',
    query: PageQuery,
    response: ReferenceList,
    problems: ['invalid_parameter'],
  },
  createMediaLink: {
    method: 'POST',
    path: '/v1/media/{media_id}/link',
    ids: 'media',
    credential: 'gateway',
    summary: 'Create a download link.',
    request: MediaLinkRequest,
    bodyOptional: true,
    response: MediaLink,
    problems: ['media_not_found', 'media_not_ready'],
  },
  getMedia: {
    method: 'GET',
    path: '/media/{id}',
    credential: 'none',
    summary: 'Download a file with a link.',
    query: MediaQuery,
    response: Type.String({ contentMediaType: 'application/octet-stream' }),
    responseType: 'application/octet-stream',
    otherAnswers: { 206: 'The part of the file that `Range` asks for.' },
    problems: ['media_not_found', 'range_not_satisfiable', 'rate_limit_exceeded', 'service_unavailable'],
  },
} as const satisfies Record<string, Endpoint>;
