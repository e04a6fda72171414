/** The lines of the log, of which only those that are visible are drawn. */
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { printCount } from '../../../text/times.ts';
import { logsTexts } from '../texts.ts';
import { LineRow } from './line-row.tsx';
import type { LineSearch } from './line-text.ts';
import style from './log-rows.module.css';
import type { LogStream } from './log-stream.ts';
import { podOf } from './pod-list.ts';
import { rowWithPlace } from './row-window.ts';
import { useStreamValue } from './use-log-stream.ts';
import { usePauseByHand } from './use-pause-by-hand.ts';
import { useRowWindow } from './use-row-window.ts';
import { shownEntries, type ViewOptions } from './view-options.ts';

const HEAD_PX = 28;

export interface LogRowsHandle {
  pause(): void;
  follow(): void;
  show(place: number): void;
}

interface LogRowsProps {
  readonly stream: LogStream;
  readonly view: ViewOptions;
  readonly search: LineSearch | null;
  /** The place of the match that was jumped to. */
  readonly current: number | null;
  readonly handle: Ref<LogRowsHandle>;
}

export function LogRows({ stream, view, search, current, handle }: LogRowsProps) {
  const t = useTexts(logsTexts);
  useStreamValue(stream, ({ version }) => version);
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const rows = shownEntries(stream.buffer.entries, view, search);
  const { evicted } = stream.buffer;
  const pinned = stream.follow || stream.seeks;
  const { scroller, block, drawn, offset, total, anchor, show } = useRowWindow<LogEntry>({
    rows,
    pinned,
    measures: view.wrap || expanded.size > 0,
    headPx: evicted > 0 ? HEAD_PX : 0,
    layout: `${view.wrap} ${view.times}`,
    onScroll(at) {
      stream.setFollow(false);
      if (at !== null) stream.keep(at.place);
    },
  });

  const actions = useRef({ anchor, show });
  actions.current = { anchor, show };
  const pause = useCallback(() => {
    if (!stream.follow) return;
    const at = actions.current.anchor();
    stream.setFollow(false);
    if (at !== null) stream.keep(at.place);
  }, [stream]);
  useImperativeHandle(
    handle,
    () => ({
      pause,
      follow: () => stream.setFollow(true),
      show: (place) => actions.current.show(place),
    }),
    [stream, pause],
  );
  usePauseByHand(scroller, stream, pause);
  const { found } = stream;
  useEffect(() => {
    if (found !== null) actions.current.show(found);
  }, [found]);

  const toggle = useCallback(
    (place: number) => {
      pause();
      setExpanded((before) => {
        const next = new Set(before);
        if (!next.delete(place)) next.add(place);
        return next;
      });
    },
    [pause],
  );
  const keyOf = useRowKeys(stream.follow, drawn);
  return (
    <div className={style.frame}>
      <div
        ref={scroller}
        role="log"
        aria-label={t('lines')}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
        tabIndex={0}
        className={`${style.scroller} ${view.wrap ? style.wrapped : ''}`}
      >
        <div className={style.all} style={{ height: total }}>
          {evicted > 0 && (
            <div className={style.head} data-evicted={evicted}>
              {t('evicted', { count: printCount(evicted, currentLanguage()), n: evicted })}
            </div>
          )}
          <div ref={block} className={style.block} style={{ transform: `translateY(${offset}px)` }}>
            {drawn.map((entry, i) => (
              <LineRow
                key={keyOf(entry, i)}
                entry={entry}
                times={view.times}
                colour={stream.pods.colourOf(podOf(entry) ?? '')}
                pattern={search?.pattern ?? null}
                expanded={expanded.has(entry.place)}
                current={entry.place === (current ?? found)}
                onToggle={toggle}
              />
            ))}
          </div>
        </div>
      </div>
      {!stream.follow && <FollowPill stream={stream} rows={rows} />}
    </div>
  );
}

/**
 * Following, rows are reused in place, which is cheaper than new ones for every line. Paused, each row belongs to its
 * line, so that a selection stays where it is; the rows that were drawn when the view was paused keep their keys.
 */
function useRowKeys(follow: boolean, drawn: readonly LogEntry[]): (entry: LogEntry, i: number) => string {
  const slots = useRef(new Map<number, string>());
  if (follow) slots.current = new Map(drawn.map(({ place }, i) => [place, `slot ${i}`]));
  return (entry, i) => (follow ? `slot ${i}` : (slots.current.get(entry.place) ?? `line ${entry.place}`));
}

function FollowPill({ stream, rows }: { stream: LogStream; rows: readonly LogEntry[] }) {
  const t = useTexts(logsTexts);
  const fresh = rows.slice(rowWithPlace(rows, stream.pausedAt)).filter(({ kind }) => kind === 'line').length;
  const label =
    fresh === 0 ? t('followPill') : t('newLines', { count: printCount(fresh, currentLanguage()), n: fresh });
  return (
    <button
      type="button"
      className={`main ${style.pill}`}
      data-new={fresh}
      onClick={() => stream.setFollow(true)}
    >
      {label} ↓
    </button>
  );
}
