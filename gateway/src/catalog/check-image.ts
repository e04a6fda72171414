/** Rejects image calls that a model does not support before they are sent. Pure. */
import type { ImageGenerationRequest } from '../contract/images.ts';
import { Problem } from '../kernel/problem.ts';
import type { Model } from './model.ts';

type Asked = Pick<ImageGenerationRequest, 'n' | 'size' | 'quality' | 'background'>;

export function checkImageCall({ code, image }: Pick<Model, 'code' | 'image'>, asked: Asked): void {
  const lists = { size: image.sizes, quality: image.qualities, background: image.backgrounds };
  for (const param of ['size', 'quality', 'background'] as const) {
    const [value, allowed] = [asked[param] ?? null, lists[param]];
    if (value === null || allowed === null || allowed.includes(value)) continue;
    throw new Problem('invalid_parameter', {
      detail: `${param} must be one of ${allowed.join(', ')} for ${code}.`,
      param,
    });
  }
  if ((asked.n ?? 1) > image.imagesMax) {
    throw new Problem('invalid_parameter', {
      detail: `n must be at most ${image.imagesMax} for ${code}.`,
      param: 'n',
    });
  }
}
