/** The kinds of calls that the playground makes, and which of them a model can do. Pure. */
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';

export const modes = ['chat', 'responses', 'messages', 'embeddings', 'image'] as const;
export type Mode = (typeof modes)[number];

export const modePaths: Readonly<Record<Mode, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  embeddings: '/v1/embeddings',
  image: '/v1/images/generations',
};

/** The most models side by side. */
export const MODELS_MAX = 4;

export function modesOf(model: ModelObject): Mode[] {
  return modes.filter((mode) => model.endpoints.includes(modePaths[mode]));
}

export function canDo(model: ModelObject, mode: Mode): boolean {
  return model.endpoints.includes(modePaths[mode]);
}

/** The mode of a recorded call; null for one that the playground does not make. */
export function modeOfEndpoint(endpoint: string): Mode | null {
  if (endpoint === 'images') return 'image';
  return modes.find((mode) => mode === endpoint) ?? null;
}

export function isText(mode: Mode): boolean {
  return mode === 'chat' || mode === 'responses' || mode === 'messages';
}
