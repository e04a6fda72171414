/** OpenAI's list of models. */
import { models } from '../brain/models.ts';

const CREATED_SECONDS = 1_767_225_600;

export function writeModels(faultModels: readonly string[]): string {
  const names = [...Object.keys(models), ...faultModels];
  return JSON.stringify({
    object: 'list',
    data: names.map((id) => ({ id, object: 'model', created: CREATED_SECONDS, owned_by: 'simulator' })),
  });
}
