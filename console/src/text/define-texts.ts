/**
 * The texts of a page in all languages. They are beside the page and are loaded with it. A text is a message of the ICU
 * format: `{count, plural, one {# key} other {# keys}}`.
 */
import { i18n } from '@lingui/core';
import { useLingui } from '@lingui/react';
import type { Language } from './language.ts';

type Catalogue = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number>>;

export interface Texts<Key extends string = string> {
  readonly name: string;
  readonly catalogues: Readonly<Record<Language, Readonly<Record<Key, string>>>>;
}

/** Returns the text of a key in the current language. */
export type Say<Key extends string> = (key: Key, values?: Values) => string;

/** `name` is the part of the console they belong to. The other languages have the same keys as English. */
export function defineTexts<const En extends Catalogue>(
  name: string,
  en: En,
  ko: Readonly<Record<keyof En & string, string>>,
): Texts<keyof En & string> {
  const catalogues = { en, ko } as Texts<keyof En & string>['catalogues'];
  for (const [language, messages] of Object.entries<Catalogue>(catalogues)) {
    i18n.load(
      language,
      Object.fromEntries(Object.entries(messages).map(([key, text]) => [`${name}.${key}`, text])),
    );
  }
  return { name, catalogues };
}

/** The texts in the current language; the component is drawn again when it changes. */
export function useTexts<Key extends string>(texts: Texts<Key>): Say<Key> {
  const { i18n: current } = useLingui();
  return (key, values) => current._(`${texts.name}.${key}`, values);
}

/** The text in the language of this moment, for code outside components. It does not change with the language. */
export function textNow<Key extends string>(texts: Texts<Key>, key: Key, values?: Values): string {
  return i18n._(`${texts.name}.${key}`, values);
}
