/** A form in a window: its fields, what went wrong, and the button that sends it. */
import type { ReactNode } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import { ThrownNote } from './failure-note.tsx';
import { Form } from './field.tsx';
import { useRun } from './use-run.ts';

interface FormDialogProps {
  readonly title: string;
  /** The fields. */
  readonly children: ReactNode;
  readonly submit: string;
  readonly danger?: boolean;
  /** Another dialog follows in its place, so it does not close itself. */
  readonly followed?: boolean;
  /** It is closed afterwards, unless this throws. */
  run(): Promise<unknown>;
  onClose(): void;
}

export function FormDialog(props: FormDialogProps) {
  const { title, children, submit, danger = false, followed = false, run, onClose } = props;
  const t = useTexts(wordTexts);
  const { runs, error, run: start } = useRun();
  const send = async (): Promise<void> => {
    if ((await start(run)) && !followed) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => void send()}>
        {children}
        <ThrownNote error={error} />
        <DialogButtons>
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className={danger ? 'danger' : 'main'} disabled={runs}>
            {submit}
          </button>
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
