/** Sentences with a name, so that they can be printed in other languages. `{max}` in a text stands for the value `max`. */
export interface Sentence<Name extends string = string> {
  readonly name: Name;
  readonly values: SentenceValues;
}

export type SentenceValues = Readonly<Record<string, string | number>>;

export function printSentence<Name extends string>(
  texts: Readonly<Record<Name, string>>,
  { name, values }: Sentence<Name>,
): string {
  return texts[name].replace(/\{(\w+)\}/g, (place, value: string) => String(values[value] ?? place));
}
