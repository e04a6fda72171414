export function ModelsPage() {
  return null;
}
