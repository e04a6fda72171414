/** Asks before something is changed that people will notice, and says what will happen. */
import { type ReactNode, useState } from 'react';
import { commonTexts } from '../text/common-texts.ts';
import { useTexts } from '../text/use-texts.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import { ThrownNote } from './failure-note.tsx';

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
  const t = useTexts(commonTexts);
  const [runs, setRuns] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = async (): Promise<void> => {
    setRuns(true);
    setError(null);
    try {
      await run();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setRuns(false);
    }
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
          onClick={() => void start()}
        >
          {confirm}
        </button>
      </DialogButtons>
    </Dialog>
  );
}
