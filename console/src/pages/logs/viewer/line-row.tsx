/** One row of the log: a line, or what happened between two lines. */
import { memo } from 'react';
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import { useTexts } from '../../../text/say.ts';
import { printBytes } from '../../../text/times.ts';
import './ansi.css';
import { logsTexts } from '../texts.ts';
import { plainText, type TextSegment } from './ansi.ts';
import { cutSegments, lineJson, lineText, SHOWN_CHARACTERS_MAX } from './line-text.ts';
import style from './log-rows.module.css';
import { printFullLogTime, printLogTime, type TimeMode } from './print-log-time.ts';
import { markedRanges, markSegments } from './search-lines.ts';

export interface LineRowProps {
  readonly entry: LogEntry;
  readonly times: TimeMode;
  readonly colour: number;
  readonly pattern: RegExp | null;
  readonly expanded: boolean;
  /** The match that was jumped to, or the line of the moment that was asked for. */
  readonly current: boolean;
  onToggle(place: number): void;
}

export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { entry } = props;
  return entry.kind === 'line' ? <TextRow {...props} entry={entry} /> : <EventRow {...props} entry={entry} />;
});

function TextRow(props: LineRowProps & { entry: LogEntry & { kind: 'line' } }) {
  const t = useTexts(logsTexts);
  const { entry, times, colour, pattern, expanded, current, onToggle } = props;
  const { timeStamp, podName } = entry.line;
  const json = lineJson(entry);
  const { plain, segments } = lineText(entry);
  const isLong = plain.length > SHOWN_CHARACTERS_MAX;
  const shown = isLong && !expanded ? cutSegments(segments, SHOWN_CHARACTERS_MAX) : segments;
  return (
    <div
      className={[style.row, current && style.current, expanded && style.open].filter(Boolean).join(' ')}
      data-place={entry.place}
    >
      {times !== 'off' && (
        <time className={style.time} dateTime={timeStamp} title={printFullLogTime(timeStamp, times)}>
          {printLogTime(timeStamp, times)}
        </time>
      )}
      <span className={style.pod} style={{ color: `var(--chart-${colour})` }}>
        {podName}
      </span>
      <span className={style.text}>
        {json !== null && (
          <button
            type="button"
            className={style.fold}
            aria-expanded={expanded}
            aria-label={t(expanded ? 'foldJson' : 'expandJson')}
            onClick={() => onToggle(entry.place)}
          >
            {expanded ? '▾' : '▸'}
          </button>
        )}
        {json !== null && expanded ? (
          <span className={style.json}>
            <Segments segments={[{ text: json, classes: '' }]} pattern={pattern} />
          </span>
        ) : (
          <Segments segments={shown} pattern={pattern} />
        )}
        {json === null && isLong && (
          <button type="button" className={style.expand} onClick={() => onToggle(entry.place)}>
            {expanded ? t('cutLine') : t('expandLine', { size: printBytes(plain.length) })}
          </button>
        )}
      </span>
    </div>
  );
}

export function Segments(props: { segments: readonly TextSegment[]; pattern: RegExp | null }) {
  const { segments, pattern } = props;
  const [only] = segments;
  if (pattern === null && segments.length === 1 && only?.classes === '') return only.text;
  const ranges = pattern === null ? [] : markedRanges(plainText(segments), pattern);
  return markSegments(segments, ranges).map(({ text, classes, marked }, i) => {
    const Piece = marked ? 'mark' : 'span';
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no name
      <Piece key={i} className={marked ? undefined : classes || undefined}>
        {text}
      </Piece>
    );
  });
}

function EventRow({ entry, colour }: LineRowProps & { entry: LogEntry & { kind: 'event' } }) {
  const t = useTexts(logsTexts);
  const { event, podName, container, restart = 0, state, reason } = entry.event;
  if (event === 'gap') {
    return (
      <div className={`${style.row} ${style.gap}`} data-place={entry.place} data-event="gap">
        {podName === undefined ? t('gap') : t('gapOf', { pod: podName })}
        {reason !== undefined && `: ${reason}`}
      </div>
    );
  }
  const kind = state === 'ended' ? 'podEnded' : restart > 0 ? 'podRestarted' : 'podJoined';
  return (
    <div className={`${style.row} ${style.event}`} data-place={entry.place} data-event={state ?? event}>
      <span style={{ color: `var(--chart-${colour})` }}>{podName}</span>{' '}
      {t(kind, { container: container ?? '', restart })}
    </div>
  );
}
