/** Chooses pods: those that are shown, or the only one that is read. */
import { useId, useState } from 'react';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { printCount } from '../../../text/times.ts';
import { logsTexts } from '../texts.ts';
import type { LogStream } from './log-stream.ts';
import style from './log-viewer.module.css';
import { countByPod, type ShownPod } from './pod-list.ts';
import { useStreamValue } from './use-log-stream.ts';

interface PodFilterProps {
  readonly stream: LogStream;
  readonly picked: ReadonlySet<string> | null;
  onToggle(pod: string): void;
  onAll(): void;
  /** Reads this pod only, so that all lines in the buffer are its own. */
  onOnly(pod: string): void;
}

export function PodFilter(props: PodFilterProps) {
  const t = useTexts(logsTexts);
  const id = useId();
  const [open, setOpen] = useState(false);
  const { stream, picked } = props;
  const all = useStreamValue(stream, ({ pods }) => pods.size);
  const shown = picked === null ? all : stream.pods.pods.filter(({ name }) => picked.has(name)).length;
  return (
    <>
      <button type="button" popoverTarget={id} className={style.tool} data-on={picked !== null}>
        {t('podsButton', { shown, all })}
      </button>
      <div
        id={id}
        popover="auto"
        className={style.popover}
        onToggle={(event) => {
          setOpen(event.newState === 'open');
          placeBelow(event);
        }}
      >
        {open && <PodChoices {...props} />}
      </div>
    </>
  );
}

function PodChoices({ stream, picked, onToggle, onAll, onOnly }: PodFilterProps) {
  const t = useTexts(logsTexts);
  useStreamValue(stream, ({ version }) => version);
  const { pods } = stream.pods;
  const counts = countByPod(stream.buffer.entries);
  return (
    <>
      <fieldset className={style.pods}>
        <legend>{t('podsLegend')}</legend>
        {pods.length === 0 && <p className="hint">{t('noPods')}</p>}
        {pods.map((pod) => (
          <PodChoice
            key={pod.name}
            pod={pod}
            count={counts.get(pod.name) ?? 0}
            checked={picked?.has(pod.name) ?? false}
            onToggle={() => onToggle(pod.name)}
            onOnly={() => onOnly(pod.name)}
          />
        ))}
      </fieldset>
      <button type="button" className={style.tool} disabled={picked === null} onClick={onAll}>
        {t('allPods')}
      </button>
    </>
  );
}

function PodChoice(props: {
  pod: ShownPod;
  count: number;
  checked: boolean;
  onToggle(): void;
  onOnly(): void;
}) {
  const t = useTexts(logsTexts);
  const { pod, count, checked, onToggle, onOnly } = props;
  return (
    <div className={style.pod} data-pod={pod.name} data-ended={pod.ended}>
      <label>
        <input type="checkbox" checked={checked} onChange={onToggle} />
        <span style={{ color: `var(--chart-${pod.colour})` }}>{pod.name}</span>
        {pod.ended && <span className="hint">{t('podIsEnded')}</span>}
        <span className={style.count}>{printCount(count, currentLanguage())}</span>
      </label>
      <button type="button" className={style.tool} title={t('onlyPodTitle')} onClick={onOnly}>
        {t('onlyPod')}
        <span className="heard"> {pod.name}</span>
      </button>
    </div>
  );
}

/** Puts an open popover below its button, inside the window. */
export function placeBelow({ currentTarget: shown, newState }: React.ToggleEvent<HTMLElement>): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(shown.id)}"]`);
  if (newState !== 'open' || button === null) return;
  const { bottom, left } = button.getBoundingClientRect();
  shown.style.top = `${bottom + 4}px`;
  shown.style.left = `${Math.max(8, Math.min(left, innerWidth - shown.offsetWidth - 8))}px`;
}
