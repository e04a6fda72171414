/** Something that is shown only once, such as the secret of a new key. Warns before it is closed without a copy. */
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../text/say.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';
import style from './secret-dialog.module.css';
import { secretTexts } from './secret-texts.ts';

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  /** Completes the name of the button: "Copy the key". */
  readonly what: string;
  /** What to know about it: how long it works, what failed. */
  readonly children?: ReactNode;
  onClose(): void;
}

export function SecretDialog({ title, secret, what, children, onClose }: SecretDialogProps) {
  const t = useTexts(secretTexts);
  const [copied, setCopied] = useState(false);
  const [warns, setWarns] = useState(false);
  useEffect(() => {
    if (copied) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [copied]);
  const close = (): void => {
    if (copied) onClose();
    else setWarns(true);
  };
  return (
    <Dialog title={title} onClose={close}>
      <p>{t('once')}</p>
      <div className={style.secret} onCopy={() => setCopied(true)}>
        <code>{secret}</code>
        <CopyButton text={secret} what={what} onCopied={() => setCopied(true)} />
      </div>
      {children}
      {warns && !copied ? (
        <>
          <p role="alert" className="warning">
            {t('notCopied')}
          </p>
          <DialogButtons>
            <button type="button" className="danger" onClick={onClose}>
              {t('closeAnyway')}
            </button>
            <button type="button" onClick={() => setWarns(false)}>
              {t('back')}
            </button>
          </DialogButtons>
        </>
      ) : (
        <DialogButtons>
          <button type="button" className="main" onClick={close}>
            {t('done')}
          </button>
        </DialogButtons>
      )}
    </Dialog>
  );
}
