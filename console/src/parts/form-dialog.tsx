/** A form in a window: its fields, what went wrong, and the button that sends it. */
import { type ReactNode, useState } from 'react';
import { commonTexts } from '../text/common-texts.ts';
import { useTexts } from '../text/use-texts.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import { ThrownNote } from './failure-note.tsx';
import { Form } from './field.tsx';

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
  const t = useTexts(commonTexts);
  const [runs, setRuns] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (): Promise<void> => {
    setRuns(true);
    setError(null);
    try {
      await run();
      if (!followed) onClose();
    } catch (thrown) {
      setError(thrown);
      setRuns(false);
    }
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
