/** What a panel shows, and its figures as a file. */
import type { ReactNode } from 'react';
import { useTexts } from '../../text/say.ts';
import { wordTexts } from '../../text/word-texts.ts';
import style from './balance.module.css';

export function PanelHead({ csv, children }: { csv?: string; children: ReactNode }) {
  const t = useTexts(wordTexts);
  return (
    <div className={style.head}>
      <div className="hint">{children}</div>
      {csv !== undefined && (
        <a className="button" href={csv} download>
          {t('downloadCsv')}
        </a>
      )}
    </div>
  );
}
