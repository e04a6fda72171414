/** Uploads a file that calls can refer to, and shows its reference. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type ReferenceKind,
  type ReferenceTrack,
  referenceKinds,
  referenceTracks,
} from '../../../../gateway/src/contract/reference-kinds.ts';
import type { ReferenceUpload } from '../../../../gateway/src/contract/references.ts';
import { isAbort } from '../../api/failure.ts';
import { uploadToGateway } from '../../api/upload-to-gateway.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Choice, Filters } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { Card } from '../../parts/page.tsx';
import { Progress } from '../../parts/progress.tsx';
import { type Say, useTexts } from '../../text/say.ts';
import { printBytes } from '../../text/times.ts';
import style from './jobs.module.css';
import { type JobText, jobTexts } from './texts.ts';

const kinds = Object.keys(referenceKinds) as ReferenceKind[];
const ACCEPT = Object.values(referenceKinds)
  .flatMap(({ mimeTypes }) => mimeTypes)
  .join(',');

export function UploadReference({ apiKey }: { apiKey: string }) {
  const t = useTexts(jobTexts);
  const queries = useQueryClient();
  const [track, setTrack] = useState<ReferenceTrack>('file');
  const [share, setShare] = useState<number | null>(null);
  const [wrong, setWrong] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [made, setMade] = useState<{ name: string; reference: string } | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  const upload = async (file: File): Promise<void> => {
    setMade(null);
    setError(null);
    const fault = faultOf(file, t);
    setWrong(fault);
    if (fault !== '') return;
    const call = new AbortController();
    leaving.current = call;
    const form = new FormData();
    form.set('file', file, file.name);
    setShare(0);
    try {
      const path = `/v1/references?track=${track}`;
      const options = { key: apiKey, form, signal: call.signal, onProgress: setShare };
      const { reference } = await uploadToGateway<ReferenceUpload>(path, options);
      setMade({ name: file.name, reference });
      await queries.invalidateQueries();
    } catch (thrown) {
      if (!isAbort(thrown)) setError(thrown);
    }
    setShare(null);
  };

  return (
    <Card>
      <div className="stack">
        <Filters>
          <Choice label={t('track')} value={track} values={referenceTracks} labelOf={t} onChoose={setTrack} />
        </Filters>
        <FileDrop
          label={t('upload')}
          accept={ACCEPT}
          disabled={apiKey === '' || share !== null}
          onFile={(file) => void upload(file)}
        >
          <p className="hint">{t(apiKey === '' ? 'needKey' : 'uploadHint')}</p>
        </FileDrop>
        {share !== null && <Progress label={t('uploading')} share={share} />}
        {wrong !== '' && (
          <p role="alert" className="failure">
            {wrong}
          </p>
        )}
        <ThrownNote error={error} />
        {made !== null && (
          <div role="status" className={style.made}>
            <p>
              <strong>{made.name}</strong>
            </p>
            <p>{t('uploaded')}</p>
            <p className={style.reference}>
              <code>{made.reference}</code>
              <CopyButton text={made.reference} what={t('theReference')} />
            </p>
          </div>
        )}
      </div>
    </Card>
  );
}

/** Rejected here already, because the gateway would reject it after the upload; empty if nothing is wrong. */
function faultOf(file: File, t: Say<JobText>): string {
  const kind = kinds.find((one) => (referenceKinds[one].mimeTypes as readonly string[]).includes(file.type));
  if (kind === undefined) return t('wrongType', { name: file.name });
  if (file.size <= referenceKinds[kind].bytesMax) return '';
  return t('tooLarge', { name: file.name, size: printBytes(file.size), kind });
}
