/** What a panel shows, and its figures as a file. */
import type { ReactNode } from 'react';
import { commonTexts } from '../../text/common-texts.ts';
import { useTexts } from '../../text/say.ts';
import style from './balance.module.css';

export function PanelHead({ csv, children }: { csv?: string; children: ReactNode }) {
  const t = useTexts(commonTexts);
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
