/** Uploads batch files, lists and deletes files, and serves files and their metadata. */
import { fileObject } from '../../batch-files/file-object.ts';
import type { StoredFile } from '../../batch-files/files.store.ts';
import { type FilePageRequest, listOwnFiles } from '../../batch-files/list-files.ts';
import { type FileTools, getFile, openFile } from '../../batch-files/open-file.ts';
import { beginBatchUpload, type UploadTools } from '../../batch-files/upload-batch-file.ts';
import { deleteOwnFile } from '../../batches/delete-file.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { fileLimits, filePurposes } from '../../contract/files.ts';
import { pageOrders } from '../../contract/pages.ts';
import type { OpenDownloads } from '../../memory/open-downloads.ts';
import type { OpenLimits } from '../../memory/open-limits.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { QueryReader } from '../query-reader.ts';
import { checkFileRequest, readFileForm } from '../read-file-form.ts';
import { readIdempotencyKey } from '../read-idempotency-key.ts';
import { readPage } from '../read-page.ts';
import { sendStream } from '../send-stream.ts';

export function fileRoutes(
  tools: FileTools & UploadTools,
  options: { openUploads: OpenLimits; openDownloads: OpenDownloads },
): HttpRoute[] {
  return [
    keyedRoute('createFile', endpoints.createFile, async (exchange, principal) => {
      const { request } = exchange;
      checkFileRequest(request);
      exchange.onOver(options.openUploads.enter(principal));
      exchange.onStop(() => exchange.response.destroy());
      const upload = await beginBatchUpload({ principal, key: readIdempotencyKey(request) }, tools);
      try {
        const { filename } = await readFileForm(request, (bytes) => upload.append(bytes));
        exchange.sendJson(200, JSON.stringify(await upload.finish(filename)));
      } catch (error) {
        await upload.abort();
        throw error;
      }
    }),
    keyedRoute('listFiles', endpoints.listFiles, async (exchange, principal) => {
      const page = readFilePage(exchange.request.url ?? '');
      exchange.sendJson(200, JSON.stringify(await listOwnFiles({ principal, page }, tools)));
    }),
    keyedRoute('getFile', endpoints.getFile, async (exchange, principal) => {
      const file = await getFile({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(fileObject(file)));
    }),
    keyedRoute('deleteFile', endpoints.deleteFile, async (exchange, principal) => {
      const deleted = await deleteOwnFile({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(deleted));
    }),
    keyedRoute('getFileContent', endpoints.getFileContent, async (exchange, principal) => {
      const file = await getFile({ principal, id: exchange.params.id ?? '' }, tools);
      const enter = (): (() => void) => options.openDownloads.ofKey(principal);
      await sendStoredFile(exchange, { file, enter }, tools);
    }),
  ];
}

function readFilePage(url: string): FilePageRequest {
  const query = new QueryReader(url, ['after', 'limit', 'order', 'purpose']);
  const page = {
    ...readPage(query, fileLimits),
    order: query.oneOf('order', pageOrders) ?? 'desc',
    purpose: query.oneOf('purpose', filePurposes),
  };
  query.checkFields();
  return page;
}

export async function sendStoredFile(
  exchange: Exchange,
  { file, enter }: { file: StoredFile; enter: () => () => void },
  tools: FileTools,
): Promise<void> {
  await sendStream(exchange, {
    contentType: 'application/jsonl',
    bytes: file.bytes,
    headers: {
      'content-disposition': attachment(file.filename),
      'x-content-type-options': 'nosniff',
    },
    enter,
    open: () => openFile(file, tools),
  });
}

/** Has the name twice (RFC 6266): in ASCII for old clients, and unchanged. */
function attachment(filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`;
}
