/**
 * What the prompt of a call can have beyond its bytes, for a space whose limits are never exceeded. Throws a Problem for what
 * nothing bounds, which such a space cannot use. Pure.
 */
import type { Inline } from '../json/placeholders.ts';
import { type Json, listOf, textOf } from '../json/read-json.ts';
import { Problem } from '../kernel/problem.ts';
import { isAddress, type MediaAddress } from '../text/media-address.ts';
import { promptMedia } from '../text/prompt-media.ts';
import { type HostedTool, providerTools } from '../text/provider-tools.ts';
import type { TextFormatName } from '../text/text-format.ts';

export interface PromptBound {
  readonly images: number;
  /** Of these images in the body: they are not text. */
  readonly imageBytes: number;
  /** Whether something in it may have more tokens than bytes. */
  readonly compressed: boolean;
  /** Tokens that providers add. */
  readonly addedTokens: number;
  /** How often the provider reads the prompt: again after each use of a tool that it runs. */
  readonly passes: number;
  /** The calls of such tools, by kind. */
  readonly tools: Readonly<Record<string, number>>;
}

/** What providers write around a prompt: the instructions for tools and for the form of an answer. */
const ADDED_TOKENS = 2_000;
/** The description of a tool that the request only names. */
const TOKENS_PER_NAMED_TOOL = 4_000;
/** Special tokens around each input of an embedding. */
const TOKENS_PER_INPUT = 4;

const PLAIN_PROMPT: PromptBound = {
  images: 0,
  imageBytes: 0,
  compressed: false,
  addedTokens: ADDED_TOKENS,
  passes: 1,
  tools: {},
};

export function checkBounded(call: {
  readonly format: TextFormatName;
  readonly request: object;
  /** URLs and references in the request. */
  readonly addresses: readonly MediaAddress[];
  readonly inline: Inline | undefined;
}): PromptBound {
  const { format, request, addresses, inline } = call;
  rejectAddresses(addresses);
  rejectFields(request as Json);
  const hosted = providerTools(format, request);
  const named = namedTools(request as Json);
  const media = promptMedia(request, inline);
  if (media.elsewhere !== null) rejectAddress({ param: media.elsewhere });
  if (hosted.length === 0 && named === 0 && media.images === 0 && !media.compressed) return PLAIN_PROMPT;
  const { images, imageBytes, compressed } = media;
  const addedTokens = ADDED_TOKENS + named * TOKENS_PER_NAMED_TOOL;
  return { images, imageBytes, compressed, addedTokens, ...usesOf(hosted) };
}

/** Token ids and texts, of which each is an input of its own. */
export function inputsBound(inputs: number): PromptBound {
  return { ...PLAIN_PROMPT, addedTokens: ADDED_TOKENS + inputs * TOKENS_PER_INPUT };
}

/** `images`: those to be edited, with the mask. */
export function checkBoundedImages(
  images: ReadonlyArray<{ readonly url: string; readonly param: string } | object>,
): PromptBound {
  for (const image of images) if ('url' in image && isAddress(image.url)) rejectAddress(image);
  return { ...PLAIN_PROMPT, images: images.length };
}

function rejectAddresses(addresses: readonly MediaAddress[]): void {
  const [first] = addresses;
  if (first === undefined) return;
  if (first.of !== 'server') rejectAddress(first);
  throw unbounded(first.param, 'what a server answers is added to the prompt', 'Leave it out.');
}

function rejectAddress({ param }: { param: string }): never {
  throw unbounded(param, 'it is stored elsewhere', 'Send it in the request, as base64.');
}

/** Parts of an answer that are charged beside its limit, and prompts that are summarised on the way. */
function rejectFields({ prediction, context_management: management }: Json): void {
  if ((prediction ?? null) !== null)
    throw unbounded('prediction', 'what it predicts in vain is charged too', 'Leave it out.');
  const { edits = management } = (management ?? {}) as Json;
  if (!listOf(edits).some(({ type }) => textOf(type).startsWith('compact'))) return;
  throw unbounded(
    'context_management',
    'the provider reads the prompt again to summarise it',
    'Leave compaction out.',
  );
}

/** The kinds of tools whose description is at the provider. */
function namedTools({ tools }: Json): number {
  return listOf(tools).filter((tool) => !describesItself(tool)).length;
}

const described = new Set(['', 'function', 'custom', 'namespace']);

function describesItself({ type }: Json): boolean {
  return described.has(textOf(type));
}

function usesOf(hosted: readonly HostedTool[]): Pick<PromptBound, 'passes' | 'tools'> {
  let passes = 1;
  const tools: Record<string, number> = {};
  for (const { kind, param, usesMax, limit } of hosted) {
    if (usesMax === null)
      throw unbounded(
        param,
        'the provider decides how often it uses this tool',
        limit === null ? 'Leave it out.' : `Set ${limit}.`,
      );
    passes += usesMax;
    tools[kind] = (tools[kind] ?? 0) + usesMax;
  }
  return { passes, tools };
}

function unbounded(param: string, why: string, instead: string): Problem {
  return new Problem('unsupported_parameter', {
    detail:
      `The cost of ${param} has no upper bound, because ${why}. This space has hard limits or a hard budget for the ` +
      `call, so it was not sent. ${instead}`,
    param,
  });
}
