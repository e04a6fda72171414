/** What a developer can read with a gateway key; part of the table in endpoints.ts. */
import type { Endpoint } from './endpoint.ts';
import { KeyObject } from './key.ts';
import { ModelList, ModelObject } from './models.ts';
import { ReceiptObject } from './receipt.ts';

export const developerEndpoints = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    credential: 'gateway',
    messagesShape: true,
    summary: "List the models of the key's space.",
    response: ModelList,
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id}',
    slashes: true,
    credential: 'gateway',
    messagesShape: true,
    summary: 'Get a model.',
    response: ModelObject,
    problems: ['model_not_found'],
  },
  getKey: {
    method: 'GET',
    path: '/v1/key',
    credential: 'gateway',
    summary: 'Get the calling key, its spending and its limits.',
    response: KeyObject,
  },
  getReceipt: {
    method: 'GET',
    path: '/v1/receipts/{request_id}',
    ids: 'req',
    credential: 'gateway',
    summary: 'Get the receipt of a call.',
    response: ReceiptObject,
    problems: ['receipt_not_found'],
  },
} as const satisfies Record<string, Endpoint>;
