/** The files of a batch: results and errors, and a new input file of the rows that failed. */
import { useState } from 'react';
import { askGateway } from '../../api/ask-gateway.ts';
import { saveFile } from '../../api/save-file.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useTexts } from '../../text/say.ts';
import type { BatchListItem } from './batch-tracks.tsx';
import style from './batches.module.css';
import { batchTexts } from './texts.ts';

interface BatchFilesProps {
  readonly batch: BatchListItem;
  /** A key that owns the batch; empty if there is none. */
  readonly ownKey: string;
  /** The person administers the space, and the batch belongs to a person. */
  readonly asAdmin: boolean;
  /** Who else can read them. */
  readonly note: string | null;
}

export function BatchFiles({ batch, ownKey, asAdmin, note }: BatchFilesProps) {
  const t = useTexts(batchTexts);
  const [error, setError] = useState<unknown>(null);
  const { id, output_file_id: output, error_file_id: errors, input_file_id: input } = batch;
  if (batch.settlement !== 'settled') return <p className="hint">{t('filesLater')}</p>;

  const tryTo = (run: () => Promise<void>) => (): void => {
    setError(null);
    run().catch(setError);
  };
  const content = async (file: string): Promise<Blob> => {
    const { signal } = new AbortController();
    return await (await askGateway(`/v1/files/${file}/content`, { key: ownKey, signal })).blob();
  };
  const makeFixUp = async (): Promise<void> => {
    if (errors === null) return;
    const [before, failed] = await Promise.all([content(input), content(errors)]);
    saveFile(`${id}_retry.jsonl`, new Blob([failedRows(await before.text(), await failed.text())]));
  };
  const file = (fileId: string | null, name: string, words: 'output' | 'errorFile') => {
    if (fileId === null) return <p className="hint">{t(words === 'output' ? 'noOutput' : 'noErrors')}</p>;
    if (asAdmin)
      return (
        <a className="button" href={`/api/console/files/${fileId}/content`} download={`${id}_${name}.jsonl`}>
          {t(words)}
        </a>
      );
    const save = tryTo(async () => saveFile(`${id}_${name}.jsonl`, await content(fileId)));
    return (
      <button type="button" disabled={ownKey === ''} onClick={save}>
        {t(words)}
      </button>
    );
  };

  return (
    <>
      <div className={style.buttons}>
        {file(output, 'output', 'output')}
        {file(errors, 'errors', 'errorFile')}
        {errors !== null && ownKey !== '' && (
          <button type="button" onClick={tryTo(makeFixUp)}>
            {t('fixUp')}
          </button>
        )}
      </div>
      {errors !== null && ownKey !== '' && <p className="hint">{t('fixUpNote')}</p>}
      {note !== null && <p className="hint">{note}</p>}
      <ThrownNote error={error} />
    </>
  );
}

/** The rows of an input file that are in the error file, unchanged. Pure. */
function failedRows(input: string, errors: string): string {
  const failed = new Set(linesOf(errors).map(customIdOf));
  return linesOf(input)
    .filter((line) => failed.has(customIdOf(line)))
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function customIdOf(line: string): string {
  return (JSON.parse(line) as { custom_id: string }).custom_id;
}
