/** The simulated models, each by how it differs from `sim-chat`. */

export interface ModelTraits {
  /** Older models take `max_tokens`; newer ones refuse it. */
  readonly classic: boolean;
  readonly chats: boolean;
  readonly seesImages: boolean;
  readonly writesJson: boolean;
  readonly drawsImages: boolean;
  readonly reasons: boolean;
  readonly contextTokensMax: number | null;
  /** Wants its thought signatures back with the calls they came with, where a protocol has such. */
  readonly signsCalls: boolean;
}

const usual: ModelTraits = {
  classic: false,
  chats: true,
  seesImages: true,
  writesJson: true,
  drawsImages: false,
  reasons: true,
  contextTokensMax: null,
  signsCalls: false,
};

export const models: Readonly<Record<string, ModelTraits>> = {
  'sim-chat': usual,
  'sim-chat-classic': { ...usual, classic: true, reasons: false },
  'sim-text-only': { ...usual, seesImages: false },
  'sim-no-json': { ...usual, writesJson: false },
  'sim-small-context': { ...usual, contextTokensMax: 1_000 },
  'sim-image-chat': { ...usual, drawsImages: true, reasons: false },
  'sim-signed-calls': { ...usual, signsCalls: true },
  'sim-no-batch': usual,
  'sim-no-responses': usual,
  'sim-responses-only': { ...usual, chats: false },
  'sim-research-1': { ...usual, chats: false },
  'sim-research-2': { ...usual, chats: false },
  'sim-research-3': { ...usual, chats: false },
  'sim-research-4': { ...usual, chats: false },
  'sim-embed': { ...usual, chats: false },
  'sim-embed-fixed': { ...usual, chats: false },
  'sim-image': { ...usual, chats: false },
  'sim-video': { ...usual, chats: false },
};

/** A name that begins with `sim-` and stands in no table is `sim-chat` under another name. */
export function traitsOf(model: string): ModelTraits | null {
  if (Object.hasOwn(models, model)) return models[model] ?? null;
  return model.startsWith('sim-') ? usual : null;
}
