export function BuildPage() {
  return null;
}
