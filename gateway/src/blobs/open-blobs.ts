/** Opens the store that the configuration names. */
import { join } from 'node:path';
import type { Secret } from '../kernel/secret.ts';
import type { Blobs } from './blobs.ts';
import { DiskBlobs } from './disk.ts';
import type { S3Settings } from './s3.ts';

export async function openBlobs(options: {
  dataFolder: string;
  s3: S3Settings | null;
  /** Of the forward proxy to the bucket; null: connect directly. */
  proxyUrl?: Secret | null;
}): Promise<Blobs> {
  if (options.s3 === null) return new DiskBlobs(join(options.dataFolder, 'blobs'));
  // Loaded only when it is used: loading takes most of a second.
  const { S3Blobs } = await import('./s3.ts');
  return new S3Blobs(options.s3, options.proxyUrl ?? null);
}
