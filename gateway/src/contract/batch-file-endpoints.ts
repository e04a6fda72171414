/** The endpoints of batch files and batches; part of the table in endpoints.ts. */
import { Type } from 'typebox';
import { BatchList, BatchObject, BatchRequest } from './batches.ts';
import type { Endpoint } from './endpoint.ts';
import { FileDeleted, FileForm, FileList, FileListQuery, FileObject } from './files.ts';
import { PageQuery } from './pages.ts';

export const batchFileEndpoints = {
  createFile: {
    method: 'POST',
    path: '/v1/files',
    credential: 'gateway',
    summary: 'Upload a batch file.',
    form: FileForm,
    idempotent: true,
    response: FileObject,
    problems: ['invalid_line', 'file_too_large', 'file_not_found'],
  },
  listFiles: {
    method: 'GET',
    path: '/v1/files',
    credential: 'gateway',
    summary: 'List your files.',
    query: FileListQuery,
    response: FileList,
    problems: ['invalid_parameter'],
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/{id}',
    credential: 'gateway',
    summary: 'Get file metadata.',
    response: FileObject,
    problems: ['file_not_found'],
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/{id}',
    credential: 'gateway',
    summary: 'Delete a file.',
    response: FileDeleted,
    problems: ['file_not_found', 'file_in_use'],
  },
  getFileContent: {
    method: 'GET',
    path: '/v1/files/{id}/content',
    credential: 'gateway',
    summary: 'Download a file.',
    response: Type.String(),
    responseType: 'application/jsonl',
    problems: ['file_not_found', 'rate_limit_exceeded'],
  },
  createBatch: {
    method: 'POST',
    path: '/v1/batches',
    credential: 'gateway',
    charged: true,
    summary: 'Submit a batch.',
    request: BatchRequest,
    idempotent: true,
    response: BatchObject,
    problems: ['file_not_found', 'endpoint_mismatch', 'model_not_batchable', 'OVERAGE_NOT_ALLOWED'],
  },
  listBatches: {
    method: 'GET',
    path: '/v1/batches',
    credential: 'gateway',
    summary: 'List your batches, the newest first.',
    query: PageQuery,
    response: BatchList,
    problems: ['invalid_parameter'],
  },
  getBatch: {
    method: 'GET',
    path: '/v1/batches/{id}',
    credential: 'gateway',
    summary: 'Get the progress and cost of a batch.',
    response: BatchObject,
    problems: ['batch_not_found'],
  },
  cancelBatch: {
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    credential: 'gateway',
    summary: 'Cancel a batch; finished lines are kept and charged.',
    response: BatchObject,
    problems: ['batch_not_found', 'batch_not_cancellable'],
  },
} as const satisfies Record<string, Endpoint>;
