/** What components say, in the language of the person. */
import { useLingui } from '@lingui/react';
import type { Said, Texts, Values } from './define-texts.ts';
import { currentLanguage } from './language.ts';
import { type WordText, wordTexts } from './word-texts.ts';

/** Returns the text of a key in the current language. */
export type Say<Key extends string> = (key: Key | WordText, values?: Values) => string;

/** The texts in the current language, and the words of all pages; the component is drawn again when the language changes. */
export function useTexts<Key extends string>(texts: Texts<Key>): Say<Key> {
  const { i18n } = useLingui();
  return (key, values) => {
    const { name } = Object.hasOwn(texts.catalogues.en, key) ? texts : wordTexts;
    return i18n._(`${name}.${key}`, values);
  };
}

/** Says a text that stands beside what it is the name of. */
export function useSaid(): (said: Said) => string {
  useLingui();
  return ([en, ko]) => ({ en, ko })[currentLanguage()];
}
