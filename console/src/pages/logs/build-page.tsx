export function BuildLogView() {
  return null;
}
