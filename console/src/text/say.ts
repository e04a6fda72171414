/** What components say, in the language of the person. */
import { useLingui } from '@lingui/react';
import { type CommonText, commonTexts } from './common-texts.ts';
import type { Texts, Values } from './define-texts.ts';

/** Returns the text of a key in the current language. */
export type Say<Key extends string> = (key: Key | CommonText, values?: Values) => string;

/** The texts in the current language, and the common ones; the component is drawn again when the language changes. */
export function useTexts<Key extends string>(texts: Texts<Key>): Say<Key> {
  const { i18n } = useLingui();
  return (key, values) => {
    const { name } = Object.hasOwn(texts.catalogues.en, key) ? texts : commonTexts;
    return i18n._(`${name}.${key}`, values);
  };
}
