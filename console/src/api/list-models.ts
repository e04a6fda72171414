import type { ModelList, ModelObject } from '../../../gateway/src/contract/models.ts';
import { askGateway } from './ask-gateway.ts';

/** The models of the key's space; those that exist to fail come last. */
export async function listModels(key: string, signal: AbortSignal): Promise<ModelObject[]> {
  const response = await askGateway('/v1/models', { key, signal });
  const { data } = (await response.json()) as ModelList;
  return data.toSorted((a, b) => Number(failsOnCue(a)) - Number(failsOnCue(b)));
}

export function canChat(model: ModelObject): boolean {
  return model.endpoints.includes('/v1/chat/completions');
}

function failsOnCue(model: ModelObject): boolean {
  return model.id.startsWith('sim-fault-');
}
