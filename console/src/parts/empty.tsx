/** What a page shows while it has nothing to show: why, and what to do next. */
import type { ReactNode } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { CopyButton } from './copy-button.tsx';
import style from './empty.module.css';

interface EmptyProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
  /** What can be typed instead of using the page. */
  readonly command?: string | undefined;
  /** What the command is. */
  readonly copyLabel?: string;
}

export function Empty({ title, text, children, command, copyLabel }: EmptyProps) {
  const t = useTexts(wordTexts);
  return (
    <div className={style.empty}>
      <p className={style.title}>{title}</p>
      {text !== undefined && <p>{text}</p>}
      {children}
      {command !== undefined && (
        <div className={style.command}>
          <code>{command}</code>
          <CopyButton text={command} what={copyLabel ?? t('theCommand')} />
        </div>
      )}
    </div>
  );
}
