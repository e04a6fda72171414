/** The largest rows as horizontal bars. It is for the eye only: the table beside it has the exact figures. */
import style from './rank-chart.module.css';

interface RankChartProps {
  /** In their order. */
  readonly rows: ReadonlyArray<{ readonly key: string; readonly name: string; readonly value: string }>;
}

const SHOWN_MAX = 10;

export function RankChart({ rows }: RankChartProps) {
  const shown = rows.slice(0, SHOWN_MAX);
  // Lengths are drawn, not charged: a number is exact enough for them.
  const most = Math.max(...shown.map(({ value }) => Number(value)), Number.MIN_VALUE);
  return (
    <div className={style.chart} aria-hidden="true">
      {shown.map(({ key, name, value }) => (
        <div key={key} className={style.row} title={`${name}: ${value}`}>
          <span className={style.name}>{name}</span>
          <span className={style.track}>
            <span className={style.bar} style={{ width: `${(Number(value) / most) * 100}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}
