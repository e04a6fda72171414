import { useEffect, useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { Card } from '../../parts/page.tsx';
import { Progress } from '../../parts/progress.tsx';
import { useTexts } from '../../text/say.ts';
import { printBytes } from '../../text/times.ts';
import style from './batches.module.css';
import { CheckReport } from './check-report.tsx';
import { batchTexts } from './texts.ts';
import { type BatchCheck, useBatchCheck } from './use-batch-check.ts';
import { useBatchUpload } from './use-batch-upload.ts';

interface BatchFormProps {
  readonly apiKey: string;
  /** Null until they are known. */
  readonly models: readonly ModelObject[] | null;
  onSubmitted(batch: string): void;
}

/** From a file to a batch: checked here, then uploaded and submitted. */
export function BatchForm({ apiKey, models, onSubmitted }: BatchFormProps) {
  const t = useTexts(batchTexts);
  const { check, start, discard } = useBatchCheck();
  const upload = useBatchUpload();
  const [early, setEarly] = useState<File | null>(null);
  // A file that was dropped before the models were known is checked as soon as they are.
  useEffect(() => {
    if (early === null || models === null) return;
    setEarly(null);
    start(early, models);
  }, [early, models, start]);
  const { phase } = upload.state;
  const busy = phase === 'uploading' || phase === 'submitting';
  const endpoint = check.phase === 'checked' ? check.checked.report.url : null;
  const valid = check.phase === 'checked' && check.checked.report.badRowCount === 0 && endpoint !== null;
  const submit = async (): Promise<void> => {
    if (!valid) return;
    const id = await upload.start({ key: apiKey, file: check.file, endpoint });
    if (id === null) return;
    discard();
    onSubmitted(id);
  };
  return (
    <Card title={t('newBatch')}>
      <div className={style.stack}>
        <FileDrop label={t('drop')} accept=".jsonl,.ndjson,.json,.txt" disabled={busy} onFile={setEarly}>
          <p className="hint">{t('dropHint')}</p>
        </FileDrop>
        <CheckedFile check={check} models={models} />
        {check.phase === 'checked' && (
          <>
            {valid && <p className="hint">{t('uploadNote')}</p>}
            {upload.state.phase === 'uploading' && (
              <Progress label={t('uploading')} share={upload.state.share} />
            )}
            {phase === 'submitting' && <p role="status">{t('submitting')}</p>}
            {upload.state.phase === 'failed' && <ThrownNote error={upload.state.error} />}
            <div className={style.buttons}>
              {valid && (
                <button
                  type="button"
                  className="main"
                  disabled={busy || apiKey === ''}
                  onClick={() => void submit()}
                >
                  {t('upload')}
                </button>
              )}
              <button type="button" disabled={busy} onClick={discard}>
                {t('discard')}
              </button>
              {valid && apiKey === '' && <span className="hint">{t('needKey')}</span>}
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

function CheckedFile({ check, models }: { check: BatchCheck } & Pick<BatchFormProps, 'models'>) {
  const t = useTexts(batchTexts);
  if (check.phase === 'none') return null;
  const code = check.phase === 'checked' ? check.checked.report.model?.code : undefined;
  const pricing = models?.find(({ id }) => id === code)?.pricing ?? null;
  return (
    <section className={style.stack} aria-label={check.file.name}>
      <h3 className={style.fileName}>{check.file.name}</h3>
      {check.phase === 'checking' && <Progress label={t('checking')} share={check.share} />}
      {check.phase === 'tooLarge' && (
        <p role="alert" className="failure">
          {t('tooLarge', { size: printBytes(check.file.size) })}
        </p>
      )}
      {check.phase === 'unreadable' && (
        <p role="alert" className="failure">
          {t('unreadable', { reason: check.reason })}
        </p>
      )}
      {check.phase === 'checked' && (
        <CheckReport
          checked={check.checked}
          estimate={check.estimator.total(pricing)}
          bytes={check.file.size}
        />
      )}
    </section>
  );
}
