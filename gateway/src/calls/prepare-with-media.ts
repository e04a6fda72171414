/** A call with references in it: its body is made when a route is about to be asked, for that route. */
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { Provider, TextProvider, TextSend } from '../providers/provider.ts';
import type { CallMedia, PlacedAsset, PlacedMedia } from './call-media.ts';
import type { Prepared } from './call-upstream.ts';

export function prepareWithMedia(
  media: CallMedia,
  to: { provider: Provider; text: TextProvider; sent: Omit<TextSend, 'body'>; lease: ByteLease },
  write: (placed: PlacedMedia) => TextSend['body'] | Problem,
): Prepared<TextProvider> {
  const { provider, text, sent, lease } = to;
  let body: TextSend['body'] = Buffer.alloc(0);
  let assets: readonly PlacedAsset[] = [];
  let gone: readonly PlacedAsset[] = [];
  let registeredAnew = false;
  return {
    api: text,
    async ready() {
      await media.forget(gone);
      gone = [];
      const placed = await placedOrProblem(media, { provider, text, lease });
      if (placed instanceof Problem) return placed;
      assets = placed.assets;
      const written = write(placed);
      if (written instanceof Problem) return written;
      body = written;
      return null;
    },
    send: (handler) => text.send({ ...sent, body, beta: betaOf(sent, text, assets) }, handler),
    outdated(status, answer) {
      if (registeredAnew) return false;
      gone = assets.filter(({ name }) => saysGone(status, answer, name));
      registeredAnew = gone.length > 0;
      return registeredAnew;
    },
  };
}

async function placedOrProblem(
  media: CallMedia,
  { provider, text, lease }: { provider: Provider; text: TextProvider; lease: ByteLease },
): Promise<PlacedMedia | Problem> {
  try {
    return await media.place(provider, text, lease);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Every provider says it in other words, but each names the file; one goes by the last part of its address. */
function saysGone(status: number, answer: Buffer, name: string): boolean {
  const id = name.split('/').at(-1) ?? name;
  return [400, 403, 404].includes(status) && answer.includes(id);
}

function betaOf(
  { beta }: Pick<TextSend, 'beta'>,
  { media }: TextProvider,
  assets: readonly PlacedAsset[],
): string | null {
  if (assets.length === 0 || media.namesBeta === undefined) return beta;
  return beta === null ? media.namesBeta : `${beta},${media.namesBeta}`;
}
