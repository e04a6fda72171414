/**
 * Gets the images of an edit that are named by URL: references of the caller's space, or public https URLs. Other calls
 * take the way that find-references.ts describes.
 */
import { referenceKinds } from '../../contract/reference-kinds.ts';
import { checkImageFile } from '../../images/check-image-file.ts';
import type { ImageAddress, ImageEdit, ImageFile, RequestedEdit } from '../../images/image-call.ts';
import { Problem } from '../../kernel/problem.ts';
import { whenAvailable } from '../../kernel/when-available.ts';
import { findMediaReference, storedMedia } from '../../media/resolve-media.ts';
import type { ByteLease } from '../../memory/byte-budget.ts';
import { fetchPublic } from '../../net/fetch-public.ts';
import type { MediaInput } from '../../providers/media-input.ts';
import { isReference } from '../../text/read-media.ts';
import type { CallMediaTools } from './find-references.ts';

/** Limit for all images named by URL together; no provider accepts more. */
const EDIT_BYTES_MAX = 50 * 1024 * 1024;
const FETCH = { bytesMax: referenceKinds.image.bytesMax, totalMs: 20_000 };

interface OpenEdit {
  readonly lease: ByteLease;
  readonly spaceId: string;
  readonly signal: AbortSignal;
}

/** Throws a Problem that names the field. */
export async function openEdit(
  edit: RequestedEdit,
  open: OpenEdit,
  tools: CallMediaTools,
): Promise<ImageEdit> {
  let left = EDIT_BYTES_MAX;
  const opened = async (image: ImageFile | ImageAddress): Promise<ImageFile> => {
    const file = 'url' in image ? await openImage(image, { ...open, bytesMax: left }, tools) : image;
    if ('url' in image) left -= file.bytes.length;
    return file;
  };
  const images: ImageFile[] = [];
  for (const image of edit.images) images.push(await opened(image));
  return { ...edit, images, mask: edit.mask === null ? null : await opened(edit.mask) };
}

async function openImage(
  image: ImageAddress,
  { lease, spaceId, bytesMax, signal }: OpenEdit & { bytesMax: number },
  tools: CallMediaTools,
): Promise<ImageFile> {
  const { url, param } = image;
  if (!isReference(url)) {
    const limits = { ...FETCH, bytesMax: Math.min(FETCH.bytesMax, bytesMax) };
    const fetched = await fetchPublic(url, { param, schemes: ['https'], limits, signal }, tools);
    lease.add(fetched.length);
    return checkImageFile(fetched, image);
  }
  const reference = await findMediaReference(url, { spaceId, param, kinds: ['image'] }, tools);
  if (reference.bytes > bytesMax) {
    throw new Problem('invalid_parameter', {
      detail: `With ${param}, the images of this edit exceed ${EDIT_BYTES_MAX} bytes in total. Send fewer or smaller images.`,
      param,
    });
  }
  await lease.take(reference.bytes);
  const bytes = await whenAvailable(() => readAll(storedMedia(reference, tools)));
  return checkImageFile(bytes, image);
}

async function readAll(media: Pick<MediaInput, 'pieces'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of media.pieces()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
