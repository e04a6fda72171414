/** `messages[0].content` */
export function pathName(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );
}
