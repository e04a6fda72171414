/**
 * The resource name of a model: `tunedModels/mine` is complete; a bare name is one of Google's own models.
 */
export function modelResource(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
