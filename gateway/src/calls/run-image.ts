/** A call for images from admission to settlement. Its answer is never streamed. */
import { checkImageCall } from '../catalog/check-image.ts';
import type { ImageEdit, ImageGeneration, RequestedEdit } from '../images/image-call.ts';
import { Problem } from '../kernel/problem.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { ImagesProvider } from '../providers/provider.ts';
import { type Asked, type BegunCall, beginCall, finishCall } from './begin-call.ts';
import { openEdit } from './open-edit.ts';
import { runWhole } from './run-whole.ts';
import type { RunTextTools } from './text-request.ts';

export interface ImageRequest extends Asked {
  readonly image: ImageGeneration | RequestedEdit;
}

export async function runImage(call: ImageRequest, tools: RunTextTools): Promise<void> {
  const { image: asked, principal } = call;
  const { fields } = asked;
  const model = tools.catalog().find(fields.model, { user: principal, endpoint: 'images' });
  checkImageCall(model, fields);

  const beginning = beginCall(call, { model, endpoint: 'images', streamed: false }, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const createdSeconds = unixSecondsOf(call.startedAt);
  // What is charged where the answer does not say what was made.
  const kind = {
    size: chosen(fields.size) ?? model.image.sizeDefault,
    quality: chosen(fields.quality) ?? model.image.qualityDefault,
  };
  const work = async (): Promise<void> => {
    const image = asked.kind === 'edit' ? await opened(asked, begun, tools) : asked;
    await runWhole<ImagesProvider>(
      {
        ...begun,
        prepare({ upstreamModel }, { images: api }) {
          if (api === undefined) return makesNone(model.code);
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
        // Images have tokens that nobody but their provider can count.
        promptTexts: () => [],
        images: 0,
        keep: null,
      },
      tools,
    );
  };
  await finishCall(begun, work, tools);
}

/** `auto` leaves it to the provider, as saying nothing does. */
function chosen(option: string | null | undefined): string | null {
  return option === 'auto' ? null : (option ?? null);
}

/** Only calls that were let pass make us fetch anything. */
async function opened(
  edit: RequestedEdit,
  { facts, lease, cancellation }: BegunCall,
  tools: RunTextTools,
): Promise<ImageEdit> {
  const leaving = new AbortController();
  cancellation.onCancel(() => leaving.abort());
  const { spaceId } = facts.principal;
  return await openEdit(edit, { lease, spaceId, signal: leaving.signal }, tools.media);
}

/** The catalogue offers it here, but this provider of it does not. */
function makesNone(code: string): Problem {
  const detail = `The model ${code} does not support /v1/images/generations or /v1/images/edits.`;
  return new Problem('model_not_found', { detail, param: 'model' });
}
