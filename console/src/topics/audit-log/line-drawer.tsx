/** One line of the audit log: who, when, and the comparison. Also a line that the list has not loaded. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useRead } from '../../api/use-operation.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useTexts } from '../../text/say.ts';
import { Comparison } from './comparison.tsx';
import { auditTexts } from './texts.ts';

export type Line = ResultOf<'audit.get'>;

interface LineDrawerProps {
  /** Null: the log of the whole installation. */
  readonly space: string | null;
  readonly id: string;
  /** The line, if the list has it. */
  readonly listed: Line | undefined;
  onClose(): void;
}

export function LineDrawer({ space, id, listed, onClose }: LineDrawerProps) {
  const t = useTexts(auditTexts);
  const { line, error } = useLine({ space, id, listed });
  return (
    <Dialog side title={line?.action ?? t('line', { id })} onClose={onClose}>
      {line === undefined ? <ThrownNote error={error} /> : <LineFacts line={line} />}
    </Dialog>
  );
}

function useLine({ space, id, listed }: Omit<LineDrawerProps, 'onClose'>) {
  const asks = listed === undefined;
  const own = useRead('audit.get', { space: space ?? '', line: id }, { enabled: asks && space !== null });
  const any = useRead('audit.getAny', { line: id }, { enabled: asks && space === null });
  const { data, error } = space === null ? any : own;
  return { line: listed ?? data, error: asks ? error : null };
}

function LineFacts({ line }: { line: Line }) {
  const t = useTexts(auditTexts);
  const [, change] = useSearchState();
  return (
    <>
      <Facts>
        <Fact name={t('when')} as="moment" value={line.at} />
        <Fact name={t('actor')}>{line.actor}</Fact>
        <Fact name={t('subject')}>{line.subject}</Fact>
        {line.space !== null && <Fact name={t('space')}>{line.space}</Fact>}
      </Facts>
      <Comparison before={line.before} after={line.after} />
      <p>
        <button
          type="button"
          className="link"
          onClick={() => change({ subject: line.subject, line: undefined })}
        >
          {t('ofSubject', { subject: line.subject })}
        </button>
      </p>
    </>
  );
}
