/**
 * Stacked bars, such as the units of each day by model. The heights are for the eye; the exact figures are in the
 * tooltip of each bar, and in the table that can be shown instead.
 */
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../text/say.ts';
import { wordTexts } from '../../text/word-texts.ts';
import style from './bar-chart.module.css';

export interface Bar {
  readonly name: string;
  /** Below the bar. */
  readonly label: string;
  readonly parts: ReadonlyArray<{ readonly series: string; readonly value: string }>;
}

interface BarChartProps {
  /** The question that it answers. */
  readonly title: string;
  readonly bars: readonly Bar[];
  /** In the order of their colours; what is not among the first is drawn in the last colour. */
  readonly series: readonly string[];
  /** The same figures as a table, unless the page shows them anyway. */
  readonly table?: ReactNode;
  onChoose?(bar: Bar): void;
}

const COLOURS = 6;
const HEIGHT = 180;
const BAR = 22;
const GAP = 8;

export function BarChart({ title, bars, series, table, onChoose }: BarChartProps) {
  const t = useTexts(wordTexts);
  const [asTable, setAsTable] = useState(false);
  const shown = series.slice(0, COLOURS);
  return (
    <figure className={style.figure}>
      <figcaption>
        <h2>{title}</h2>
        {table !== undefined && (
          <button type="button" className="link" onClick={() => setAsTable(!asTable)}>
            {t(asTable ? 'showChart' : 'showTable')}
          </button>
        )}
      </figcaption>
      {asTable ? (
        table
      ) : (
        <>
          <Bars title={title} bars={bars} series={shown} {...(onChoose && { onChoose })} />
          {shown.length > 1 && (
            <ul className={style.legend}>
              {shown.map((name, i) => (
                <li key={name}>
                  <span style={colourOf(i)} aria-hidden="true" />
                  {name}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </figure>
  );
}

function Bars(props: Pick<BarChartProps, 'title' | 'bars' | 'series' | 'onChoose'>) {
  const { title, bars, series, onChoose } = props;
  // Heights are drawn, not charged: a number is exact enough for them.
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + Number(value), 0));
  const most = Math.max(...sums, Number.MIN_VALUE);
  const width = bars.length * (BAR + GAP);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways where it does not fit
    <section className={style.scroll} aria-label={title} tabIndex={0}>
      <svg viewBox={`0 0 ${width} ${HEIGHT + 20}`} role="img" aria-label={title} className={style.chart}>
        {bars.map((bar, i) => {
          let top = HEIGHT;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table has links for the keyboard
            <g
              key={bar.name}
              className={onChoose && style.choosable}
              onClick={onChoose && (() => onChoose(bar))}
            >
              <title>
                {[bar.name, ...bar.parts.map(({ series: of, value }) => `${of}: ${value}`)].join('\n')}
              </title>
              <rect className={style.ground} x={i * (BAR + GAP)} y={0} width={BAR + GAP} height={HEIGHT} />
              {bar.parts.map((part) => {
                const height = (Number(part.value) / most) * (HEIGHT - 4);
                top -= height;
                const place = series.indexOf(part.series);
                return (
                  <rect
                    key={part.series}
                    className={style.colour}
                    style={colourOf(place === -1 ? COLOURS - 1 : place)}
                    x={i * (BAR + GAP) + GAP / 2}
                    y={top}
                    width={BAR}
                    height={Math.max(height, Number(part.value) > 0 ? 1 : 0)}
                    rx={2}
                  />
                );
              })}
              <text x={i * (BAR + GAP) + (BAR + GAP) / 2} y={HEIGHT + 14} className={style.label}>
                {bar.label}
              </text>
            </g>
          );
        })}
        <line className={style.axis} x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
      </svg>
    </section>
  );
}

function colourOf(place: number) {
  return { color: `var(--chart-${place + 1})` };
}
