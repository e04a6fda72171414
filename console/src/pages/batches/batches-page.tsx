export function BatchesPage() {
  return null;
}
