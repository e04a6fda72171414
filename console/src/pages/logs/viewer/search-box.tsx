/** Searches the lines: highlights what matches, goes from match to match, or shows only matches. */
import type { Ref } from 'react';
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { printCount } from '../../../text/times.ts';
import { logsTexts } from '../texts.ts';
import type { LineSearch } from './line-text.ts';
import type { LogStream } from './log-stream.ts';
import style from './log-viewer.module.css';
import { useStreamValue } from './use-log-stream.ts';
import { shownEntries, type ViewOptions } from './view-options.ts';

interface SearchBoxProps {
  readonly stream: LogStream;
  readonly view: ViewOptions;
  readonly search: LineSearch | null;
  readonly current: number | null;
  readonly input: Ref<HTMLInputElement>;
  onQuery(query: string): void;
  onOnlyMatches(only: boolean): void;
  onStep(step: 1 | -1): void;
}

export function SearchBox(props: SearchBoxProps) {
  const t = useTexts(logsTexts);
  const { view, search, input, onQuery, onOnlyMatches, onStep } = props;
  return (
    <search className={style.search}>
      <input
        ref={input}
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        value={view.query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          // The browser would empty the field; n and N need what was typed.
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
      {search !== null && (
        <>
          <MatchCount {...props} search={search} />
          <button
            type="button"
            className={style.tool}
            aria-label={t('previousMatch')}
            onClick={() => onStep(-1)}
          >
            ↑
          </button>
          <button type="button" className={style.tool} aria-label={t('nextMatch')} onClick={() => onStep(1)}>
            ↓
          </button>
          <label className={style.check}>
            <input
              type="checkbox"
              checked={view.onlyMatches}
              onChange={(event) => onOnlyMatches(event.target.checked)}
            />
            {t('onlyMatches')}
          </label>
        </>
      )}
    </search>
  );
}

function MatchCount({ stream, view, search, current }: SearchBoxProps & { search: LineSearch }) {
  useStreamValue(stream, ({ version }) => version);
  const places = matchPlaces(stream.buffer.entries, view, search);
  const at = current === null ? 0 : places.indexOf(current) + 1;
  const language = currentLanguage();
  return (
    <output className={style.matches}>
      {at === 0 ? '–' : printCount(at, language)}/{printCount(places.length, language)}
    </output>
  );
}

/** The places of the lines that match, oldest first. */
export function matchPlaces(entries: readonly LogEntry[], view: ViewOptions, search: LineSearch): number[] {
  return shownEntries(entries, view, search).flatMap((entry) => (search.matches(entry) ? [entry.place] : []));
}
