/** What a panel shows, and its figures as a file. */
import type { ReactNode } from 'react';
import { partsTexts } from '../../parts/texts.ts';
import { useTexts } from '../../text/define-texts.ts';
import style from './balance.module.css';

export function PanelHead({ csv, children }: { csv?: string; children: ReactNode }) {
  const p = useTexts(partsTexts);
  return (
    <div className={style.head}>
      <div className="hint">{children}</div>
      {csv !== undefined && (
        <a className="button" href={csv} download>
          {p('downloadCsv')}
        </a>
      )}
    </div>
  );
}
