/** Google's files: announced first, then sent in one go to the address that was told. */
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { isoOf } from '../../src/kernel/time.ts';
import type { ServedEndpoint } from '../batches/served.ts';
import type { ShopFile } from '../batches/shop.ts';
import { oneHeader } from '../dialect.ts';
import { google } from '../google/google.ts';
import { invalid } from '../google/refusals.ts';
import { record } from '../json.ts';
import { Refusal } from '../refusal.ts';

const PATH = '/upload/v1beta/files';
const KEPT_MS = 48 * HOUR_MS;
/** What is announced and not yet sent. */
const ANNOUNCED = 'google-announced';

const upload: ServedEndpoint = {
  dialect: google,
  method: 'POST',
  path: PATH,
  serve(request) {
    const { shop, reply, headers, query, bytes } = request;
    const command = oneHeader(headers, 'x-goog-upload-command');
    if (command === 'start') return begin(request);
    const begun = shop.files.get(query.get('upload_id') ?? '');
    if (begun?.purpose !== ANNOUNCED || command !== 'upload, finalize') {
      throw invalid('There is no such upload, or it was finalized.');
    }
    if (oneHeader(headers, 'x-goog-upload-offset') !== '0') throw invalid('The offset is wrong.');
    shop.files.delete(begun.id);
    const { name, mediaType } = begun;
    const file = shop.addFile({ name, mediaType, purpose: 'google', bytes, prefix: 'files/' });
    reply.sendJson(200, JSON.stringify({ file: fileObject(file, originOf(headers)) }));
  },
};

const get: ServedEndpoint = {
  dialect: google,
  method: 'GET',
  path: '/v1beta/files/{file}',
  serve({ shop, reply, params, headers }) {
    const file = shop.files.get(`files/${params.file}`);
    if (file === undefined) throw unknownGoogleFile(params.file ?? '');
    reply.sendJson(200, JSON.stringify(fileObject(file, originOf(headers))));
  },
};

export const googleFiles: readonly ServedEndpoint[] = [upload, get];

/** Google does not tell what is gone from what is somebody else's. */
export function unknownGoogleFile(id: string): Refusal {
  return new Refusal(403, `You do not have permission to access the File ${id} or it may not exist.`);
}

function begin({ shop, reply, body, headers }: Parameters<ServedEndpoint['serve']>[0]): void {
  const mediaType = oneHeader(headers, 'x-goog-upload-header-content-type');
  if (oneHeader(headers, 'x-goog-upload-protocol') !== 'resumable' || mediaType === null) {
    throw invalid('An upload says its protocol and its type.');
  }
  const name = String(record(record(body)?.file)?.display_name ?? '');
  const { id } = shop.addFile({ name, mediaType, purpose: ANNOUNCED, bytes: Buffer.alloc(0), prefix: 'up' });
  const url = `${originOf(headers)}${PATH}?upload_id=${id}&upload_protocol=resumable`;
  reply.send(200, { 'x-goog-upload-url': url, 'x-goog-upload-status': 'active' }, '');
}

function originOf(headers: Parameters<typeof oneHeader>[0]): string {
  return `http://${oneHeader(headers, 'host')}`;
}

function fileObject({ id, name, mediaType, bytes, createdAt }: ShopFile, origin: string): object {
  return {
    name: id,
    displayName: name,
    mimeType: mediaType,
    sizeBytes: String(bytes.length),
    createTime: isoOf(createdAt),
    expirationTime: isoOf(createdAt + KEPT_MS),
    uri: `${origin}/v1beta/${id}`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  };
}
