/** OpenAI's list of models. */
const CREATED_SECONDS = 1_767_225_600;

export function writeModels(names: readonly string[]): string {
  return JSON.stringify({
    object: 'list',
    data: names.map((id) => ({ id, object: 'model', created: CREATED_SECONDS, owned_by: 'simulator' })),
  });
}
