/** The space that visitors of the demo use. In a file of its own, so that commands start fast. */
export const DEMO_SPACE = 'demo';

/** The space that a command means if it names none and there are several. */
export function defaultSpaceOf({ demo }: { readonly demo: boolean }): string | undefined {
  return demo ? DEMO_SPACE : undefined;
}
