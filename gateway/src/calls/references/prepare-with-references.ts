/**
 * Step 2 of the way of a reference (see find-references.ts): a call that names references has its body made for each
 * route when that route is about to be tried, and once more if the provider no longer has a file that it kept.
 */
import type { Cancellation } from '../../kernel/cancellation.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ByteLease } from '../../memory/byte-budget.ts';
import type { Provider, TextProvider, TextSend } from '../../providers/provider.ts';
import type { PreparedRequest } from '../upstream-request.ts';
import type { CallReferences, PlacedAsset, PlacedReferences } from './place-references.ts';

interface Target {
  readonly provider: Provider;
  readonly text: TextProvider;
  readonly sent: Omit<TextSend, 'body'>;
  readonly lease: ByteLease;
  readonly cancellation: Cancellation;
}

export function prepareWithReferences(
  references: CallReferences,
  target: Target,
  write: (placed: PlacedReferences) => TextSend['body'] | Problem,
): PreparedRequest<TextProvider> {
  const { text, sent } = target;
  let body: TextSend['body'] = Buffer.alloc(0);
  let assets: readonly PlacedAsset[] = [];
  let missing: readonly PlacedAsset[] = [];
  let registeredAgain = false;
  return {
    api: text,
    async ready() {
      await references.forget(missing);
      missing = [];
      const placed = await placedOrProblem(references, target);
      if (placed instanceof Problem) return placed;
      assets = placed.assets;
      const written = write(placed);
      if (written instanceof Problem) return written;
      body = written;
      return null;
    },
    send: (handler) => text.send({ ...sent, body, beta: betaOf(sent, text, assets) }, handler),
    outdated(status, answer) {
      if (registeredAgain) return false;
      missing = assets.filter(({ name }) => saysMissing(status, answer, name));
      registeredAgain = missing.length > 0;
      return registeredAgain;
    },
  };
}

async function placedOrProblem(
  references: CallReferences,
  { provider, text, lease, cancellation }: Target,
): Promise<PlacedReferences | Problem> {
  const leaving = new AbortController();
  cancellation.onCancel(() => leaving.abort());
  try {
    return await references.place(provider, text, { lease, signal: leaving.signal });
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  } finally {
    cancellation.onCancel(null);
  }
}

/** Error texts differ by provider, but each contains the id of the file: the last part, if the name is a URL. */
function saysMissing(status: number, answer: Buffer, name: string): boolean {
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
