/** Numbered lines. Each number is a link to its line. */
import { memo, useEffect, useMemo, useRef } from 'react';
import { useTexts } from '../../text/say.ts';
import style from './build-lines.module.css';
import type { BuildLine } from './read-build-log.ts';
import { logsTexts } from './texts.ts';
import './viewer/ansi.css';
import { readAnsi } from './viewer/ansi.ts';
import { Segments } from './viewer/line-row.tsx';
import { useRowWindow } from './viewer/use-row-window.ts';

export function BuildLines({ lines, chosen }: { lines: readonly BuildLine[]; chosen: number | null }) {
  const t = useTexts(logsTexts);
  const { scroller, block, drawn, offset, total, show } = useRowWindow<BuildLine>({
    rows: lines,
    pinned: false,
    measures: true,
    headPx: 0,
    layout: '',
    onScroll: () => undefined,
  });
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    if (chosen !== null) latest.current(chosen);
  }, [chosen]);
  const digits = String(lines.length).length;
  return (
    <section
      ref={scroller}
      className={style.scroller}
      aria-label={t('buildLines')}
      data-lines={lines.length}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
      tabIndex={0}
    >
      <div className={style.all} style={{ height: total }}>
        <div ref={block} className={style.block} style={{ transform: `translateY(${offset}px)` }}>
          {drawn.map((line) => (
            <Line key={line.place} line={line} digits={digits} chosen={line.place === chosen} />
          ))}
        </div>
      </div>
    </section>
  );
}

const Line = memo(function Line(props: { line: BuildLine; digits: number; chosen: boolean }) {
  const { line, digits, chosen } = props;
  const segments = useMemo(() => readAnsi(line.text), [line]);
  return (
    <div className={style.line} aria-current={chosen ? 'true' : undefined} data-line={line.place}>
      <a href={`#L${line.place}`} className={style.number} style={{ width: `${digits + 1}ch` }}>
        {line.place}
      </a>
      <span className={style.text}>
        <Segments segments={segments} pattern={null} />
      </span>
    </div>
  );
});
