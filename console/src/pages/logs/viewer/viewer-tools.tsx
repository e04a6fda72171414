/** The buttons of the viewer. */
import { type ReactNode, useEffect, useState } from 'react';
import { copyText } from '../../../parts/copy-text.ts';
import { useTexts } from '../../../text/say.ts';
import { logsTexts } from '../texts.ts';
import type { LogStream } from './log-stream.ts';
import style from './log-viewer.module.css';
import { type TimeMode, timeModes } from './print-log-time.ts';
import { useStreamValue } from './use-log-stream.ts';
import type { StreamChoice } from './view-options.ts';

/** In seconds. */
const SINCE_CHOICES = [300, 900, 3_600, 21_600, 86_400];
const COPIED_MS = 2_000;

export function FollowButton({ stream, onPause }: { stream: LogStream; onPause(): void }) {
  const t = useTexts(logsTexts);
  const follow = useStreamValue(stream, (now) => now.follow);
  return (
    <button
      type="button"
      className={style.tool}
      aria-keyshortcuts="Space"
      onClick={() => (follow ? onPause() : stream.setFollow(true))}
    >
      {t(follow ? 'pause' : 'follow')}
    </button>
  );
}

export function Tool(props: { children: ReactNode; on?: boolean; keys?: string; onPress(): void }) {
  const { children, on, keys, onPress } = props;
  return (
    <button type="button" className={style.tool} aria-pressed={on} aria-keyshortcuts={keys} onClick={onPress}>
      {children}
    </button>
  );
}

/** A choice without room for a label beside it. */
function SmallChoice<Value extends string>(props: {
  label: string;
  value: Value;
  options: ReadonlyArray<readonly [Value, string]>;
  onChoose(value: Value): void;
}) {
  const { label, value, options, onChoose } = props;
  return (
    <select
      className={style.choice}
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value as Value)}
    >
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function SinceChoice(props: { choice: StreamChoice; onChoose(since: string | undefined): void }) {
  const t = useTexts(logsTexts);
  const { sinceSeconds, at } = props.choice;
  const value = at !== null ? 'at' : (sinceSeconds?.toString() ?? '');
  const known = new Set([...SINCE_CHOICES, ...(sinceSeconds === undefined ? [] : [sinceSeconds])]);
  return (
    <SmallChoice
      label={t('since')}
      value={value}
      options={[
        ...(at === null ? [] : [['at', t('sinceMoment')] as const]),
        ['', t('sinceLast')],
        ...[...known]
          .sort((a, b) => a - b)
          .map((seconds) => [String(seconds), sinceText(t, seconds)] as const),
      ]}
      onChoose={(since) => since !== 'at' && props.onChoose(since || undefined)}
    />
  );
}

function sinceText(
  t: ReturnType<typeof useTexts<keyof (typeof logsTexts)['catalogues']['en']>>,
  seconds: number,
) {
  if (seconds % 3_600 === 0) return t('sinceHours', { n: seconds / 3_600 });
  return seconds % 60 === 0 ? t('sinceMinutes', { n: seconds / 60 }) : t('sinceSeconds', { n: seconds });
}

export function ContainerChoice(props: {
  stream: LogStream;
  container: string | undefined;
  onChoose(container: string | undefined): void;
}) {
  const t = useTexts(logsTexts);
  const { stream, container, onChoose } = props;
  const names = useStreamValue(stream, ({ pods }) => pods.containers.join(' ')).split(' ');
  const all = [...new Set([...names, container ?? ''])].filter((name) => name !== '');
  if (all.length < 2 && container === undefined) return null;
  return (
    <SmallChoice
      label={t('container')}
      value={container ?? ''}
      options={[['', t('allContainers')], ...all.map((name) => [name, name] as const)]}
      onChoose={(name) => onChoose(name || undefined)}
    />
  );
}

export function TimeChoice({ times, onChoose }: { times: TimeMode; onChoose(times: TimeMode): void }) {
  const t = useTexts(logsTexts);
  return (
    <SmallChoice
      label={t('times')}
      value={times}
      options={timeModes.map((mode) => [mode, t(`time_${mode}`)] as const)}
      onChoose={onChoose}
    />
  );
}

export function CopyLines({ text }: { text(): string }) {
  const t = useTexts(logsTexts);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button type="button" className={style.tool} onClick={() => void copyText(text()).then(setCopied)}>
      {t(copied ? 'copied' : 'copy')}
    </button>
  );
}
