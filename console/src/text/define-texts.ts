/**
 * The texts of a page in all languages. They are beside the page and are loaded with it. A text is a message of the ICU
 * format: `{count, plural, one {# key} other {# keys}}`.
 */

import { i18n } from '@lingui/core';
import { type Language, languages } from './language.ts';

export type Values = Readonly<Record<string, string | number>>;

/** The same in each language, in their order. */
export type Said = readonly [en: string, ko: string];

export interface Texts<Key extends string = string> {
  readonly name: string;
  readonly catalogues: Readonly<Record<Language, Readonly<Record<Key, string>>>>;
}

/** `name` is the part of the console they belong to. */
export function defineTexts<Key extends string>(
  name: string,
  texts: Readonly<Record<Key, Said>>,
): Texts<Key> {
  const inLanguage = (at: 0 | 1) =>
    Object.fromEntries(Object.entries<Said>(texts).map(([key, said]) => [key, said[at]])) as Record<
      Key,
      string
    >;
  const catalogues = { en: inLanguage(0), ko: inLanguage(1) };
  for (const language of languages) {
    const messages = Object.entries(catalogues[language]).map(([key, text]) => [`${name}.${key}`, text]);
    i18n.load(language, Object.fromEntries(messages));
  }
  return { name, catalogues };
}

/** The text in the language of this moment, for code outside components. It does not change with the language. */
export function textNow<Key extends string>(texts: Texts<Key>, key: Key, values?: Values): string {
  return i18n._(`${texts.name}.${key}`, values);
}
