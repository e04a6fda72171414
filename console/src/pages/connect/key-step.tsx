import { type ClipboardEvent, type SubmitEvent, useId, useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FailureNote, ThrownNote } from '../../parts/failure-note.tsx';
import { type Say, useTexts } from '../../text/say.ts';
import type { KeyConnection, ModelsState } from '../../topics/gateway-key/use-models.ts';
import { useKeyMaker } from '../../topics/gateway-key/use-own-key.ts';
import { Step } from './step.tsx';
import { connectTexts } from './texts.ts';

interface KeyStepProps {
  readonly connection: KeyConnection;
  readonly shown: boolean;
  readonly signedIn: boolean;
  onShow(shown: boolean): void;
}

export function KeyStep({ connection, shown, signedIn, onShow }: KeyStepProps) {
  const t = useTexts(connectTexts);
  const { key, models, connect } = connection;
  const [draft, setDraft] = useState(key);
  const id = useId();

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    connect(draft.trim());
  };
  const take = (given: string): void => {
    setDraft(given);
    connect(given);
  };
  // A pasted key is a whole key: there is nothing left to do but to try it.
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const pasted = event.clipboardData.getData('text').trim();
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    if (pasted === '' || selectionStart !== 0 || selectionEnd !== value.length) return;
    event.preventDefault();
    take(pasted);
  };

  return (
    <Step number={1} title={t('keyTitle')} done={models.phase === 'ready'}>
      <form onSubmit={submit}>
        <label htmlFor={id}>{t('gatewayKey')}</label>
        <div className="row">
          <input
            id={id}
            type={shown ? 'text' : 'password'}
            value={draft}
            placeholder="sk_…"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            aria-describedby={`${id}-hint`}
            aria-invalid={models.phase === 'failed'}
            onChange={(event) => setDraft(event.target.value)}
            onPaste={paste}
          />
          <button type="button" aria-pressed={shown} onClick={() => onShow(!shown)}>
            {t(shown ? 'hide' : 'show')}
            <span className="heard"> {t('theKey')}</span>
          </button>
          <button type="submit" className="main" disabled={draft.trim() === ''}>
            {t('connect')}
          </button>
        </div>
      </form>
      <p id={`${id}-hint`} className="hint">
        {signedIn ? (
          t('keyHintSigned')
        ) : (
          <>
            {t('keyHint')} <code>npx tollgate keys create NAME</code>
          </>
        )}
      </p>
      {signedIn && <CreateKey connected={key !== ''} onCreated={take} />}
      {models.phase === 'failed' && <FailureNote failure={models.failure} />}
      <p className="state">
        <span role="status" data-phase={models.phase}>
          {stateText(models, t)}
        </span>
        {key !== '' && (
          <button type="button" className="link" onClick={() => take('')}>
            {t('forget')}
          </button>
        )}
      </p>
    </Step>
  );
}

const DAYS = 30;

function CreateKey({ connected, onCreated }: { connected: boolean; onCreated(key: string): void }) {
  const t = useTexts(connectTexts);
  const { makes, error, make } = useKeyMaker();
  const [made, setMade] = useState('');
  const create = async (): Promise<void> => {
    const key = await make('connect', DAYS);
    if (key === null) return;
    setMade(key);
    onCreated(key);
  };
  return (
    <>
      {!connected && (
        <div>
          <button type="button" disabled={makes} onClick={() => void create()}>
            {t(makes ? 'creating' : 'createForMe')}
          </button>
        </div>
      )}
      {connected && made !== '' && (
        <p className="apart hint">
          <span>{t('created')}</span>
          <CopyButton text={made} what={t('newKey')} />
        </p>
      )}
      <ThrownNote error={error} />
    </>
  );
}

function stateText(models: ModelsState, t: Say<keyof typeof connectTexts.catalogues.en>): string {
  switch (models.phase) {
    case 'no-key':
      return t('stays');
    case 'asking':
      return t('asking');
    case 'failed':
      return t('notConnected');
    case 'ready':
      return t('connected', { count: models.models.length });
  }
}
