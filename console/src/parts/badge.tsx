/** A state in one word. The colour only supports the word. */
import type { ReactNode } from 'react';
import style from './badge.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${style.badge} ${style[tone]}`}>{children}</span>;
}
