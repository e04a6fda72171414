/** Opens the store the configuration asks for. */
import { join } from 'node:path';
import type { Blobs } from './blobs.ts';
import { DiskBlobs } from './disk.ts';
import type { S3Settings } from './s3.ts';

export async function openBlobs(options: { dataFolder: string; s3: S3Settings | null }): Promise<Blobs> {
  if (options.s3 === null) return new DiskBlobs(join(options.dataFolder, 'blobs'));
  // Loaded only where it is used: it takes most of a second.
  const { S3Blobs } = await import('./s3.ts');
  return new S3Blobs(options.s3);
}
