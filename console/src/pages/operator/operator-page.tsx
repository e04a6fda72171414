export function OperatorView() {
  return null;
}
