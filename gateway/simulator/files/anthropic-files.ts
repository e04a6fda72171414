/** Anthropic's files, of which messages name images. */
import { isoOf } from '../../src/kernel/time.ts';
import { anthropic } from '../anthropic/anthropic.ts';
import { invalid, required } from '../anthropic/refusals.ts';
import type { ServedEndpoint } from '../batches/served.ts';
import { oneHeader } from '../dialect.ts';
import { Form } from '../multipart.ts';

export const FILES_BETA = 'files-api-2025-04-14';

const upload: ServedEndpoint = {
  dialect: anthropic,
  method: 'POST',
  path: '/v1/files',
  async serve({ shop, reply, body, headers }) {
    if (!(oneHeader(headers, 'anthropic-beta') ?? '').split(',').includes(FILES_BETA)) {
      throw invalid(`This API is in beta; set anthropic-beta: ${FILES_BETA}.`);
    }
    const [file] = body instanceof Form ? body.files('file') : [];
    if (file === undefined) throw required('file');
    const { id, name, bytes, createdAt, mediaType } = shop.addFile({
      name: file.filename ?? '',
      purpose: 'anthropic',
      bytes: Buffer.from(file.data),
      mediaType: file.mediaType ?? 'application/octet-stream',
      prefix: 'file_',
    });
    const described = { id, type: 'file', filename: name, mime_type: mediaType, size_bytes: bytes.length };
    reply.sendJson(200, JSON.stringify({ ...described, created_at: isoOf(createdAt), downloadable: false }));
  },
};

export const anthropicFiles: readonly ServedEndpoint[] = [upload];
