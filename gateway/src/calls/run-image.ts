/** A call for images from its checks to its settlement. Its answer is never streamed. */
import { chargedPrice } from '../catalog/charged-price.ts';
import { checkImageCall } from '../catalog/check-image.ts';
import { checkImagePrice } from '../catalog/check-priced.ts';
import type { ImageCall, ImageEdit, ImageGeneration, RequestedEdit } from '../images/image-call.ts';
import { Problem } from '../kernel/problem.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { ImagesProvider } from '../providers/provider.ts';
import type { CallRequest, StartedCall } from './begin-call.ts';
import type { CallTools } from './call-tools.ts';
import { checkBoundedImages } from './check-bounded.ts';
import { openEdit } from './references/open-edit.ts';
import { notOffered } from './relay-call.ts';
import { runWholeCall } from './run-whole-call.ts';

export interface ImageCallRequest extends CallRequest {
  readonly image: ImageGeneration | RequestedEdit;
}

export async function runImage(call: ImageCallRequest, tools: CallTools): Promise<void> {
  const { image: asked, principal } = call;
  const { fields } = asked;
  const model = tools.catalog().find(fields.model, { user: principal, endpoint: 'images' });
  checkImageCall(model, fields);
  // Charged if the answer does not say which size and quality it has.
  const kind = {
    size: chosen(fields.size) ?? model.image.sizeDefault,
    quality: chosen(fields.quality) ?? model.image.qualityDefault,
  };
  if (!principal.unpricedAllowed)
    checkImagePrice(model, chargedPrice(model, principal, call.startedAt), kind);

  const createdSeconds = unixSecondsOf(call.startedAt);
  let image: ImageCall | null = asked.kind === 'edit' ? null : asked;
  await runWholeCall<ImagesProvider>(
    call,
    {
      endpoint: 'images',
      model,
      requested: fields.model,
      size: {
        bytes: Buffer.byteLength(fields.prompt),
        // The images of an edit count as one document.
        addresses: asked.kind === 'edit' ? 1 : 0,
        answers: fields.n ?? 1,
        outputTokensMax: IMAGE_TOKENS_MAX,
      },
      request: fields,
      bound: () => checkBoundedImages(asked.kind === 'edit' ? sourcesOf(asked) : []),
      image: { size: chosen(fields.size), quality: chosen(fields.quality) },
      async open(begun) {
        if (asked.kind === 'edit') image = await openImages(asked, begun, tools);
      },
      prepare({ upstreamModel }, { images: api }) {
        if (api === undefined || image === null) return notOffered(model, 'images');
        try {
          const request = api.writeRequest(image, upstreamModel);
          return { api, send: (handler) => api.send(request, handler) };
        } catch (error) {
          if (error instanceof Problem) return error;
          throw error;
        }
      },
      read: ({ api }, body) =>
        api.readAnswer(body, { callId: call.id, model: model.code, createdSeconds, asked: kind }),
      // Only the provider can count the tokens of images.
      promptTexts: () => [],
    },
    tools,
  );
}

function sourcesOf({ images, mask }: RequestedEdit): RequestedEdit['images'] {
  return mask === null ? images : [...images, mask];
}

/** No image has more tokens. */
const IMAGE_TOKENS_MAX = 100_000;

/** `auto` means the same as no value: the provider chooses. */
function chosen(option: string | null | undefined): string | null {
  return option === 'auto' ? null : (option ?? null);
}

/** Called after the limits are checked, so that a rejected call fetches nothing. */
async function openImages(
  edit: RequestedEdit,
  { facts, lease, cancellation }: StartedCall,
  tools: CallTools,
): Promise<ImageEdit> {
  const leaving = new AbortController();
  cancellation.onCancel(() => leaving.abort());
  const { spaceId } = facts.principal;
  return await openEdit(edit, { lease, spaceId, signal: leaving.signal }, tools.media);
}
