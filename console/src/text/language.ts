/** The language of the console: chosen by the browser until the person chooses. */
import { i18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';

export const languages = ['en', 'ko'] as const;
export type Language = (typeof languages)[number];

const KEPT = 'tollgate.language';

i18n.setMessagesCompiler(compileMessage);

export function startLanguage(): void {
  show(keptLanguage() ?? browserLanguage());
}

/** Keeps the choice. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  show(language);
}

export function currentLanguage(): Language {
  return i18n.locale === 'ko' ? 'ko' : 'en';
}

function show(language: Language): void {
  i18n.activate(language);
  document.documentElement.lang = language;
}

function keptLanguage(): Language | null {
  return languages.find((language) => language === localStorage.getItem(KEPT)) ?? null;
}

function browserLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2));
  return (
    languages.find((language) => language === wanted.find((tag) => tag === 'en' || tag === 'ko')) ?? 'en'
  );
}
