import { type ClipboardEvent, type SubmitEvent, useId, useState } from 'react';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Step } from './step.tsx';
import type { KeyConnection, ModelsState } from './use-models.ts';

interface KeyStepProps {
  readonly connection: KeyConnection;
  readonly shown: boolean;
  onShow(shown: boolean): void;
}

export function KeyStep({ connection, shown, onShow }: KeyStepProps) {
  const { key, models, connect } = connection;
  const [draft, setDraft] = useState(key);
  const id = useId();

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    connect(draft.trim());
  };
  // A pasted key is a whole key: there is nothing left to do but to try it.
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const pasted = event.clipboardData.getData('text').trim();
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    if (pasted === '' || selectionStart !== 0 || selectionEnd !== value.length) return;
    event.preventDefault();
    setDraft(pasted);
    connect(pasted);
  };
  const forget = (): void => {
    setDraft('');
    connect('');
  };

  return (
    <Step number={1} title="Your key" done={models.phase === 'ready'}>
      <form onSubmit={submit}>
        <label htmlFor={id}>Gateway key</label>
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
            {shown ? 'Hide' : 'Show'}
            <span className="heard"> the key</span>
          </button>
          <button type="submit" className="main" disabled={draft.trim() === ''}>
            Connect
          </button>
        </div>
      </form>
      <p id={`${id}-hint`} className="hint">
        In the demo the key is on the terminal. To make another: <code>npx tollgate keys create NAME</code>
      </p>
      {models.phase === 'failed' && <FailureNote failure={models.failure} />}
      <p className="state">
        <span role="status" data-phase={models.phase}>
          {stateText(models)}
        </span>
        {key !== '' && (
          <button type="button" className="link" onClick={forget}>
            Forget the key
          </button>
        )}
      </p>
    </Step>
  );
}

function stateText(models: ModelsState): string {
  switch (models.phase) {
    case 'no-key':
      return 'It stays in this tab and is gone when you close it.';
    case 'asking':
      return 'Asking the gateway …';
    case 'failed':
      return 'Not connected.';
    case 'ready':
      return `Connected: this key can call ${countText(models.models.length)}.`;
  }
}

function countText(models: number): string {
  return models === 1 ? '1 model' : `${models} models`;
}
