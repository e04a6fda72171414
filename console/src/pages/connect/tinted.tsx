/** Text in which the words that were filled in stand out. */
export function Tinted({ text, words }: { text: string; words: readonly string[] }) {
  const wanted = words.map((word) => word.replace(/[^\w]/g, '\\$&')).join('|');
  // A split by a group keeps what it split by, at every odd place.
  return text.split(new RegExp(`(${wanted})`)).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name and no state
      <mark key={place}>{part}</mark>
    ),
  );
}
