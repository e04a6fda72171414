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
  /** Null where it embeds nothing. */
  readonly embeds: Embedding | null;
  /** Draws where nothing but pictures is asked for, in the size that is asked for. */
  readonly paints: boolean;
  /** Makes videos. */
  readonly films: boolean;
}

export interface Embedding {
  readonly dimensions: number;
  /** Whether a caller may ask for fewer. */
  readonly shortens: boolean;
}

const usual: ModelTraits = {
  classic: false,
  chats: true,
  seesImages: true,
  writesJson: true,
  drawsImages: false,
  reasons: true,
  contextTokensMax: null,
  embeds: null,
  paints: false,
  films: false,
};

const embeds: Embedding = { dimensions: 1_536, shortens: true };

/** Serves everywhere, so that each endpoint can be made to fail by the name of the model. */
const faulty: ModelTraits = { ...usual, embeds, paints: true };
const FAULTY = 'sim-fault-';

export const models: Readonly<Record<string, ModelTraits>> = {
  'sim-chat': usual,
  'sim-chat-classic': { ...usual, classic: true, reasons: false },
  'sim-text-only': { ...usual, seesImages: false },
  'sim-no-json': { ...usual, writesJson: false },
  'sim-small-context': { ...usual, contextTokensMax: 1_000 },
  'sim-image-chat': { ...usual, drawsImages: true, reasons: false },
  'sim-signed-calls': usual,
  'sim-no-batch': usual,
  'sim-no-responses': usual,
  'sim-responses-only': { ...usual, chats: false },
  'sim-research-1': { ...usual, chats: false },
  'sim-research-2': { ...usual, chats: false },
  'sim-research-3': { ...usual, chats: false },
  'sim-research-4': { ...usual, chats: false },
  'sim-embed': { ...usual, chats: false, embeds },
  'sim-embed-fixed': { ...usual, chats: false, embeds: { dimensions: 768, shortens: false } },
  'sim-image': { ...usual, chats: false, reasons: false, drawsImages: true, paints: true },
  'sim-video': { ...usual, chats: false, films: true },
  'sim-video-veo': { ...usual, chats: false, films: true },
  'sim-video-http': { ...usual, chats: false, films: true },
};

/** A name that begins with `sim-` and stands in no table is `sim-chat` under another name. */
export function traitsOf(model: string): ModelTraits | null {
  if (Object.hasOwn(models, model)) return models[model] ?? null;
  if (model.startsWith(FAULTY)) return faulty;
  return model.startsWith('sim-') ? usual : null;
}
