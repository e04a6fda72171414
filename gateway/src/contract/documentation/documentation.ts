/** The documentation of all endpoints, by tag, in the order in which readers see it. */
import type { EndpointName } from '../endpoints.ts';
import { administrationDocs } from './administration/administration.ts';
import { batchesDocs } from './batches.ts';
import { chatDocs } from './chat.ts';
import { consoleDocs } from './console.ts';
import { embeddingsDocs } from './embeddings.ts';
import { filesDocs } from './files.ts';
import { imagesDocs } from './images.ts';
import { keysAndReceiptsDocs } from './keys-and-receipts.ts';
import { logsDocs } from './logs.ts';
import { messagesDocs } from './messages.ts';
import { modelsDocs } from './models.ts';
import type { OperationDocs, TagDocs } from './operation-docs.ts';
import { platformDocs } from './platform.ts';
import { referencesDocs } from './references.ts';
import { responsesDocs } from './responses.ts';
import { signInDocs } from './sign-in.ts';
import { systemDocs } from './system.ts';
import { videosDocs } from './videos.ts';

const groups: Readonly<Record<string, readonly TagDocs[]>> = {
  'Model calls': [chatDocs, responsesDocs, messagesDocs, embeddingsDocs, imagesDocs, modelsDocs],
  Jobs: [filesDocs, batchesDocs, videosDocs, referencesDocs],
  'Your space': [platformDocs, keysAndReceiptsDocs],
  People: [consoleDocs, signInDocs, logsDocs],
  Administration: administrationDocs,
  System: [systemDocs],
};

export const documentation: readonly TagDocs[] = Object.values(groups).flat();

/** Viewers show the tags under these headings. */
export const tagGroups = Object.entries(groups).map(([name, tags]) => ({
  name,
  tags: tags.map(({ tag }) => tag),
}));

export function docsOf(name: EndpointName): { tag: string; docs: OperationDocs } | null {
  for (const { tag, operations } of documentation) {
    const docs = operations[name];
    if (docs !== undefined) return { tag, docs };
  }
  return null;
}
