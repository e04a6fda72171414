/** What a page shows while it has nothing to show: why, and what to do next. */
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import style from './empty.module.css';

/** `command`: what can be typed instead of using the page. */
export function Empty(props: { title: string; children?: ReactNode; command?: string; copyLabel?: string }) {
  const { title, children, command, copyLabel = '' } = props;
  return (
    <div className={style.empty}>
      <p className={style.title}>{title}</p>
      {children}
      {command !== undefined && (
        <div className={style.command}>
          <code>{command}</code>
          <CopyButton text={command} what={copyLabel} />
        </div>
      )}
    </div>
  );
}
