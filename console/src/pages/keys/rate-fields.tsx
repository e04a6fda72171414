/** Requests and tokens per minute as they are typed. */
import { TextField } from '../../parts/text-field.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { keyChangeTexts } from './change-texts.ts';
import style from './keys.module.css';

export interface TypedRate {
  readonly requests: string;
  readonly tokens: string;
}

export function RateFields({ rate, onType }: { rate: TypedRate; onType(rate: TypedRate): void }) {
  const t = useTexts(keyChangeTexts);
  const number = { type: 'number', min: 1, max: 2_000_000_000, step: 1, hint: t('rateHint') } as const;
  return (
    <div className={style.pair}>
      <TextField
        {...number}
        label={t('requests')}
        value={rate.requests}
        onType={(requests) => onType({ ...rate, requests })}
      />
      <TextField
        {...number}
        label={t('tokens')}
        value={rate.tokens}
        onType={(tokens) => onType({ ...rate, tokens })}
      />
    </div>
  );
}

/** Empty is no limit. */
export function rateInput({ requests, tokens }: TypedRate) {
  const perMinute = (typed: string) => (typed === '' ? null : Number(typed));
  return { requests_per_minute: perMinute(requests), tokens_per_minute: perMinute(tokens) };
}

export function typedRate(of: {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
}): TypedRate {
  const typed = (limit: number | null) => (limit === null ? '' : String(limit));
  return { requests: typed(of.requests_per_minute), tokens: typed(of.tokens_per_minute) };
}
