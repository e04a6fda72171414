/** A file that a job made, and a player for it. */
import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { MediaLink } from '../../../../gateway/src/contract/media.ts';
import { askGateway } from '../../api/ask-gateway.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import { printBytes } from '../../text/times.ts';
import style from './jobs.module.css';
import { jobTexts } from './texts.ts';

type JobMedia = ResultOf<'jobs.get'>['files'][number];

/** `ownKey` is empty if the person cannot get a link. */
export function VideoFile({ file, ownKey }: { file: JobMedia; ownKey: string }) {
  const t = useTexts(jobTexts);
  const [address, setAddress] = useState<string | null>(null);
  const { runs: asks, error, run } = useRun();
  const show = async (): Promise<void> => {
    const { signal } = new AbortController();
    const reply = await askGateway(`/v1/media/${file.id}/link`, { key: ownKey, signal, body: {} });
    const { url } = (await reply.json()) as MediaLink;
    // The page loads from its own address only, which may differ from the public one.
    const { pathname, search } = new URL(url);
    setAddress(pathname + search);
  };
  return (
    <section className={`well ${style.file}`} aria-label={t('video', { id: file.id })}>
      <p className={style.fileFacts}>
        <code>{file.id}</code>
        <span>{factsOf(file).join(' · ')}</span>
      </p>
      {address === null ? (
        file.status === 'ready' &&
        ownKey !== '' && (
          <div>
            <button type="button" disabled={asks} onClick={() => void run(show)}>
              {t(asks ? 'playing' : 'play')}
            </button>
          </div>
        )
      ) : (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: generated videos have no captions */}
          <video controls className={style.video} src={address} />
          <p className="hint">
            <a href={address} download={`${file.id}.mp4`}>
              {t('download')}
            </a>{' '}
            {t('linkUntil')}
          </p>
        </>
      )}
      <ThrownNote error={error} />
    </section>
  );
}

function factsOf({ mime_type: type, bytes, duration_seconds: seconds, width, height }: JobMedia): string[] {
  return [
    type,
    ...(bytes === null ? [] : [printBytes(bytes)]),
    ...(seconds === null ? [] : [`${seconds} s`]),
    ...(width === null || height === null ? [] : [`${width} × ${height}`]),
  ];
}
