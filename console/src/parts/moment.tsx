/** A moment in Korean standard time; the time of the reader's own zone is shown on hover and to screen readers. */

import { currentLanguage } from '../text/language.ts';
import { useTexts } from '../text/say.ts';
import { printAgo, printKst, printLocal } from '../text/times.ts';
import { wordTexts } from '../text/word-texts.ts';

export function Moment({ at }: { at: string | null }) {
  const t = useTexts(wordTexts);
  if (at === null) return <span aria-hidden="true">–</span>;
  return (
    <time dateTime={at} title={t('local', { time: printLocal(at) })}>
      {printKst(at)}
    </time>
  );
}

/** How long ago it was. */
export function Ago({ at, now }: { at: string | null; now: number }) {
  if (at === null) return <span aria-hidden="true">–</span>;
  return (
    <time dateTime={at} title={`${printKst(at)} KST · ${printLocal(at)}`}>
      {printAgo(at, now, currentLanguage())}
    </time>
  );
}
