/** `tunedModels/mine` says itself where it is; a bare name is one of Google's own models. */
export function modelPlace(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
