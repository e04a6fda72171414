/** Asks before something is changed that people will notice, and says what will happen. */
import type { ReactNode } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import { ThrownNote } from './failure-note.tsx';
import { useRun } from './use-run.ts';

interface ConfirmProps {
  readonly title: string;
  /** What will happen, and how it can be undone. */
  readonly children: ReactNode;
  readonly confirm: string;
  /** It takes something away. */
  readonly danger?: boolean;
  run(): Promise<unknown>;
  onClose(): void;
}

export function ConfirmDialog({ title, children, confirm, danger = false, run, onClose }: ConfirmProps) {
  const t = useTexts(wordTexts);
  const { runs, error, run: start } = useRun();
  const send = async (): Promise<void> => {
    if (await start(run)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <ThrownNote error={error} />
      <DialogButtons>
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className={danger ? 'danger' : 'main'}
          disabled={runs}
          onClick={() => void send()}
        >
          {confirm}
        </button>
      </DialogButtons>
    </Dialog>
  );
}
