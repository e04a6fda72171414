export function RuntimePage() {
  return null;
}
