/** Requests and tokens per minute as they are typed. */
import { defineTexts, useTexts } from '../text/define-texts.ts';
import { currentLanguage } from '../text/language.ts';
import { printCount } from '../text/times.ts';
import { LineField } from './line-field.tsx';
import style from './rate-fields.module.css';

const texts = defineTexts(
  'rateFields',
  {
    requests: 'Requests per minute',
    tokens: 'Tokens per minute',
    hint: 'Empty: no limit.',
    noLimit: 'no limit',
    both: '{requests} requests, {tokens} tokens',
  },
  {
    requests: '분당 요청 수',
    tokens: '분당 토큰 수',
    hint: '비워 두면 한도가 없습니다.',
    noLimit: '한도 없음',
    both: '요청 {requests}, 토큰 {tokens}',
  },
);

interface RateRow {
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
}

/** Both limits in words. */
export function RateText({ row }: { row: RateRow }) {
  const t = useTexts(texts);
  const { requests_per_minute: requests, tokens_per_minute: tokens } = row;
  if (requests === null && tokens === null) return t('noLimit');
  const said = (limit: number | null) =>
    limit === null ? t('noLimit') : printCount(limit, currentLanguage());
  return t('both', { requests: said(requests), tokens: said(tokens) });
}

export interface TypedRate {
  readonly requests: string;
  readonly tokens: string;
}

export function RateFields({ rate, onType }: { rate: TypedRate; onType(rate: TypedRate): void }) {
  const t = useTexts(texts);
  const number = { type: 'number', min: 1, max: 2_000_000_000, step: 1, hint: t('hint') } as const;
  return (
    <div className={style.pair}>
      <LineField
        {...number}
        label={t('requests')}
        value={rate.requests}
        onType={(requests) => onType({ ...rate, requests })}
      />
      <LineField
        {...number}
        label={t('tokens')}
        value={rate.tokens}
        onType={(tokens) => onType({ ...rate, tokens })}
      />
    </div>
  );
}

/** Empty is no limit. */
export function typedRateInput({ requests, tokens }: TypedRate) {
  const perMinute = (typed: string) => (typed === '' ? null : Number(typed));
  return { requests_per_minute: perMinute(requests), tokens_per_minute: perMinute(tokens) };
}

export function typedRate(of: RateRow): TypedRate {
  const typed = (limit: number | null) => (limit === null ? '' : String(limit));
  return { requests: typed(of.requests_per_minute), tokens: typed(of.tokens_per_minute) };
}
