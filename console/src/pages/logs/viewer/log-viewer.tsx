/** The log viewer: the connection, the tools and the lines of one stream. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { systemClock } from '../../../../../gateway/src/kernel/time.ts';
import type { Search } from '../../../addresses/search.ts';
import { useSearchState } from '../../../addresses/use-search.ts';
import { isTyping } from '../../../parts/is-typing.ts';
import { useTexts } from '../../../text/say.ts';
import { logsTexts } from '../texts.ts';
import { JumpToTime } from './jump-to-time.tsx';
import { LineSearch } from './line-text.ts';
import { LogRows, type LogRowsHandle } from './log-rows.tsx';
import type { LogStream } from './log-stream.ts';
import style from './log-viewer.module.css';
import { PodFilter } from './pod-filter.tsx';
import { timeModes } from './print-log-time.ts';
import { matchPlaces, SearchBox } from './search-box.tsx';
import { nextMatch, searchPattern } from './search-lines.ts';
import { StreamFailure, StreamStatusLine } from './stream-status.tsx';
import { downloadText, linesAsText, logFileName } from './take-lines.ts';
import { useStreamValue } from './use-log-stream.ts';
import { readViewOptions, type StreamChoice, shownEntries, togglePod } from './view-options.ts';
import { ContainerChoice, CopyLines, FollowButton, SinceChoice, TimeChoice, Tool } from './viewer-tools.tsx';

interface LogViewerProps {
  readonly project: string;
  readonly stream: LogStream;
  readonly choice: StreamChoice;
}

export function LogViewer({ project, stream, choice }: LogViewerProps) {
  const t = useTexts(logsTexts);
  const [words, change] = useSearchState();
  const set = (changes: Search): void => change(changes, { replace: true });
  const [query, setQuery] = useTypedQuery(words.q ?? '', (q) => set({ q }));
  const view = useMemo(() => readViewOptions({ ...words, q: query }), [words, query]);
  const search = useMemo(() => {
    const pattern = searchPattern(query);
    return pattern === null ? null : new LineSearch(pattern);
  }, [query]);
  const [current, setCurrent] = useState<number | null>(null);
  const rows = useRef<LogRowsHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const conn = useStreamValue(stream, ({ status }) => status.conn);
  const attempt = useStreamValue(stream, ({ status }) => status.attempt);
  const follow = useStreamValue(stream, (now) => now.follow);
  const lines = useStreamValue(stream, ({ buffer }) => buffer.lineCount);

  /** Another stream: what was picked from this one does not apply to it. */
  const read = (changes: Search): void => change({ pods: undefined, ...changes });
  const step = (direction: 1 | -1): void => {
    if (search === null) return;
    const place = nextMatch(matchPlaces(stream.buffer.entries, view, search), current, direction);
    if (place === null) return;
    setCurrent(place);
    rows.current?.show(place);
  };
  const shown = () => shownEntries(stream.buffer.entries, view, search);
  const toggleWrap = (): void => set({ wrap: view.wrap ? undefined : 'on' });
  const toggleFollow = (): void => (stream.follow ? rows.current?.pause() : rows.current?.follow());
  const nextTimes = timeModes[(timeModes.indexOf(view.times) + 1) % timeModes.length];
  useViewerKeys({
    ' ': toggleFollow,
    End: () => stream.setFollow(true),
    c: () => stream.clear(),
    r: () => stream.reconnect(),
    w: toggleWrap,
    t: () => set({ time: nextTimes }),
    n: () => step(1),
    N: () => step(-1),
    '/': () => searchField.current?.focus(),
  });
  return (
    <section
      className={style.viewer}
      aria-label={t('viewer', { project })}
      data-conn={conn}
      data-attempt={attempt}
      data-follow={follow}
      data-lines={lines}
    >
      <div className={style.tools}>
        <FollowButton stream={stream} onPause={() => rows.current?.pause()} />
        <PodFilter
          stream={stream}
          picked={view.pods}
          onToggle={(pod) => set({ pods: togglePod(view.pods, pod) })}
          onAll={() => set({ pods: undefined })}
          onOnly={(pod) => read({ pod })}
        />
        {choice.pod !== undefined && (
          <Tool on onPress={() => read({ pod: undefined })}>
            {t('podOnly', { pod: choice.pod })} ✕
          </Tool>
        )}
        <ContainerChoice
          stream={stream}
          container={choice.container}
          onChoose={(container) => read({ container })}
        />
        <SinceChoice choice={choice} onChoose={(since) => read({ since, at: undefined })} />
        <JumpToTime
          at={choice.at}
          times={view.times}
          onJump={(at) => read({ at: new Date(at).toISOString(), since: undefined })}
        />
        <TimeChoice times={view.times} onChoose={(time) => set({ time })} />
        <Tool on={view.wrap} keys="w" onPress={toggleWrap}>
          {t('wrap')}
        </Tool>
        <Tool keys="c" onPress={() => stream.clear()}>
          {t('clear')}
        </Tool>
        <CopyLines text={() => linesAsText(shown())} />
        <Tool onPress={() => downloadText(linesAsText(shown()), logFileName(project, systemClock.now()))}>
          {t('download')}
        </Tool>
      </div>
      <div className={style.connection}>
        <StreamStatusLine stream={stream} at={choice.at} times={view.times} />
        <SearchBox
          stream={stream}
          view={view}
          search={search}
          current={current}
          input={searchField}
          onQuery={(typed) => {
            setCurrent(null);
            setQuery(typed);
          }}
          onOnlyMatches={(only) => set({ show: only ? 'matches' : undefined })}
          onStep={step}
        />
        <Tool keys="r" onPress={() => stream.reconnect()}>
          {t('reconnect')}
        </Tool>
      </div>
      <StreamFailure stream={stream} />
      <LogRows key={stream.id} stream={stream} view={view} search={search} current={current} handle={rows} />
    </section>
  );
}

/** The text that is searched. The field has it at once; the address follows. */
function useTypedQuery(inAddress: string, write: (query: string) => void): [string, (query: string) => void] {
  const [typed, setTyped] = useState(inAddress);
  const written = useRef(inAddress);
  useEffect(() => {
    // It may lag behind what is typed; only another address, such as after Back, changes the field.
    if (inAddress === written.current) return;
    if (document.activeElement instanceof HTMLInputElement) return;
    written.current = inAddress;
    setTyped(inAddress);
  }, [inAddress]);
  return [
    typed,
    (query) => {
      written.current = query;
      setTyped(query);
      write(query);
    },
  ];
}

/** By the key that is pressed. */
type ViewerKeys = Readonly<Record<string, () => void>>;

function useViewerKeys(keys: ViewerKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      // A button that has the focus is pressed by the space bar.
      if (event.key === ' ' && event.target instanceof Element && event.target.closest('button, a') !== null)
        return;
      const run = latest.current[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
