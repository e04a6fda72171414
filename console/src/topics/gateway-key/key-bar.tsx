/** The key with which a page calls the gateway: the one of this tab, a pasted one, or a new personal one. */
import { type SubmitEvent, useId, useState } from 'react';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useTexts } from '../../text/say.ts';
import style from './key-bar.module.css';
import { maskKey } from './session-key.ts';
import { keyTexts } from './texts.ts';
import { useKeyMaker, useSeenKey } from './use-own-key.ts';

interface KeyBarProps {
  readonly apiKey: string;
  /** The beginning of the name of a new key. */
  readonly purpose: string;
  /** What is on the button that creates one. */
  readonly create: string;
  onKey(key: string): void;
}

/** How long a key that was made for a page is valid. */
const DAYS = 1;

export function KeyBar(props: KeyBarProps) {
  return props.apiKey === '' ? <NoKey {...props} /> : <CurrentKey {...props} />;
}

function NoKey({ purpose, create, onKey }: KeyBarProps) {
  const t = useTexts(keyTexts);
  const { makes, error, make } = useKeyMaker();
  const [draft, setDraft] = useState('');
  const id = useId();
  const createOne = async (): Promise<void> => {
    const key = await make(purpose, DAYS);
    if (key !== null) onKey(key);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (draft.trim() !== '') onKey(draft.trim());
  };
  return (
    <section className={style.bar} aria-label={t('key')}>
      <p className={style.why}>{t('none')}</p>
      <div className={style.ways}>
        <button type="button" className="main" disabled={makes} onClick={() => void createOne()}>
          {makes ? t('making') : create}
        </button>
        <span className="hint">{t('or')}</span>
        <form className={style.paste} onSubmit={submit}>
          <input
            id={id}
            type="password"
            aria-label={t('paste')}
            placeholder="sk_…"
            autoComplete="off"
            spellCheck={false}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          <button type="submit">{t('use')}</button>
        </form>
      </div>
      <ThrownNote error={error} />
    </section>
  );
}

function CurrentKey({ apiKey, onKey }: KeyBarProps) {
  const t = useTexts(keyTexts);
  const name = useSeenKey(apiKey)?.name ?? null;
  return (
    <p className={style.current}>
      <span>{name === null ? t('unnamed', { hint: maskKey(apiKey) }) : t('named', { name })}</span>
      {name === null && <span className="hint">{t('elsewhere')}</span>}
      <button type="button" className="link" onClick={() => onKey('')}>
        {t('forget')}
      </button>
    </p>
  );
}
