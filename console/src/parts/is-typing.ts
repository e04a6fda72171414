/** Whether the key goes into a field, or belongs to an open dialog. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null
  );
}
