/** Where the next message is typed, and the buttons that send it, stop the answers and clear the conversation. */
import { type RefObject, useId } from 'react';
import { useTexts } from '../../text/say.ts';
import type { PromptLabel } from './mode-calls.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';

interface ComposerProps {
  readonly label: 'nextMessage' | PromptLabel;
  readonly hint: 'keyboard' | 'needKey' | 'changedKind';
  readonly prompt: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly busy: boolean;
  readonly disabled: boolean;
  onPrompt(prompt: string): void;
  onSend(): void;
  onStop(): void;
  onCode(): void;
  /** Null: there is nothing to clear. */
  readonly onNew: (() => void) | null;
}

export function Composer(props: ComposerProps) {
  const { label, hint, prompt, field, busy, disabled, onNew } = props;
  const t = useTexts(playgroundTexts);
  const id = useId();
  return (
    <div className={style.composer}>
      <div>
        <label htmlFor={id}>{t(label)}</label>
        <textarea
          ref={field}
          id={id}
          rows={3}
          value={prompt}
          onChange={(event) => props.onPrompt(event.target.value)}
        />
      </div>
      <div className={style.buttons}>
        <span className="hint">{t(hint)}</span>
        {onNew !== null && (
          <button type="button" onClick={onNew}>
            {t('newConversation')}
          </button>
        )}
        <button type="button" onClick={props.onCode}>
          {t('viewCode')}
        </button>
        {/* One button with two meanings, so that the focus stays where it is. */}
        <button
          type="button"
          className="main"
          disabled={!busy && disabled}
          onClick={() => (busy ? props.onStop() : props.onSend())}
        >
          {t(busy ? 'stop' : 'send')}
        </button>
      </div>
    </div>
  );
}
