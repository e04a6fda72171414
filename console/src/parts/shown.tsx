/** A value as tables and details show it, by what it is. */
import type { ReactNode } from 'react';
import { currentLanguage } from '../text/language.ts';
import { useTexts } from '../text/say.ts';
import { printBytes, printCount } from '../text/times.ts';
import { wordTexts } from '../text/word-texts.ts';
import { Ago, Moment } from './moment.tsx';
import { UnitAmount } from './unit-amount.tsx';

export type ValueShape =
  | 'text'
  | 'words'
  | 'code'
  | 'units'
  | 'moment'
  | 'ago'
  | 'number'
  | 'count'
  | 'bytes';

/** Those that a field of this type can have. */
export type ShapeOf<Value> = [Value] extends [string | null]
  ? 'text' | 'words' | 'code' | 'units' | 'moment' | 'ago'
  : [Value] extends [number | null]
    ? 'number' | 'count' | 'bytes'
    : never;

/** What something has in its element: nodes, or a value by its shape. */
export type Content =
  | { readonly children: ReactNode; readonly as?: never }
  | { readonly as: ValueShape; readonly value: string | number | null };

export function contentOf(content: Content): ReactNode {
  return content.as === undefined ? content.children : <Shown {...content} />;
}

export function isNumeric(shape: ValueShape | undefined): boolean {
  return shape !== undefined && ['units', 'number', 'count', 'bytes'].includes(shape);
}

export function Shown({ as, value }: { as: ValueShape; value: string | number | null }): ReactNode {
  if (as === 'units') return <UnitAmount value={value === null ? null : String(value)} />;
  if (as === 'ago') return <LastTime at={value} />;
  if (as === 'moment') return <Moment at={value === null ? null : String(value)} />;
  if (value === null) return '–';
  if (as === 'code') return <code>{value}</code>;
  if (as === 'words') return <span className="words">{value}</span>;
  if (as === 'bytes') return <span className="nowrap">{printBytes(Number(value))}</span>;
  return as === 'count' ? printCount(Number(value), currentLanguage()) : value;
}

function LastTime({ at }: { at: string | number | null }) {
  const t = useTexts(wordTexts);
  return at === null ? t('never') : <Ago at={String(at)} now={Date.now()} />;
}
