/** The size of a video as OpenAI writes it: `1280x720`. Pure. */
import { Problem } from '../../../kernel/problem.ts';
import type { VideoCall } from '../../video-provider.ts';

/** By resolution and aspect ratio; the default comes first. */
const sizes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '720p': { '9:16': '720x1280', '16:9': '1280x720' },
  '1024p': { '4:7': '1024x1792', '7:4': '1792x1024' },
  '1080p': { '9:16': '1080x1920', '16:9': '1920x1080' },
};
const EXACT = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/;

/** Null: the caller set nothing, so the provider decides. */
export function videoSize({
  resolution,
  aspectRatio,
}: Pick<VideoCall, 'resolution' | 'aspectRatio'>): string | null {
  if (resolution === null && aspectRatio === null) return null;
  if (resolution === null) return sizeByAspect(aspectRatio ?? '');
  if (EXACT.test(resolution)) {
    if (aspectRatio === null) return resolution;
    throw refused('aspect_ratio', `${resolution} says the shape already; leave aspect_ratio out`);
  }
  const shapes = wordIn(sizes, resolution);
  if (shapes === null) {
    throw refused('resolution', `use one of ${Object.keys(sizes).join(', ')}, or a size such as 1280x720`);
  }
  if (aspectRatio === null) return Object.values(shapes)[0] as string;
  const size = wordIn(shapes, aspectRatio);
  if (size !== null) return size;
  throw refused('aspect_ratio', `with ${resolution} use one of ${Object.keys(shapes).join(', ')}`);
}

function sizeByAspect(aspectRatio: string): string {
  for (const shapes of Object.values(sizes)) {
    const size = wordIn(shapes, aspectRatio);
    if (size !== null) return size;
  }
  const known = new Set(Object.values(sizes).flatMap((shapes) => Object.keys(shapes)));
  throw refused('aspect_ratio', `use one of ${[...known].join(', ')}`);
}

function wordIn<Value>(table: Readonly<Record<string, Value>>, word: string): Value | null {
  return Object.hasOwn(table, word) ? (table[word] as Value) : null;
}

function refused(param: string, hint: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `The model does not support this ${param}: ${hint}.`,
    param,
  });
}
