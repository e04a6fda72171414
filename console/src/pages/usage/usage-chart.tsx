/** The shape of the usage: the days of the month by model, or the largest rows. */

import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { parseUnits, printUnits, sumUnits } from '../../../../gateway/src/kernel/units.ts';
import { spacePage } from '../../addresses/space-page.ts';
import { useGo } from '../../addresses/use-go.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { BarChart } from '../../parts/chart/bar-chart.tsx';
import { RankChart } from '../../parts/chart/rank-chart.tsx';
import { daysOfMonth, rangeOfDay } from '../../text/month-days.ts';
import { useTexts } from '../../text/say.ts';
import type { MonthUsage } from './month-usage.ts';
import { usageTexts } from './texts.ts';
import style from './usage.module.css';
import { useRowName } from './usage-table.tsx';

type DayRow = ResultOf<'usage.days'>['rows'][number];

/** The others are drawn together. */
const MODELS_MAX = 5;

export function UsageChart({ report }: { report: MonthUsage }) {
  const nameOf = useRowName();
  if (report.rows.length === 0) return null;
  const ranked = report.rows.map((row, i) => ({ key: `${i}`, name: nameOf(row), value: row.cost }));
  return (
    <div className={style.chart}>
      {report.by === 'day' ? <DayChart month={report.month} /> : <RankChart rows={ranked} />}
    </div>
  );
}

function DayChart({ month }: { month: string }) {
  const t = useTexts(usageTexts);
  const space = useSpace();
  const navigate = useGo();
  const { data } = useRead('usage.days', { space, month });
  if (data?.month !== month) return <div className={style.waits} />;
  const largest = largestModels(data.rows);
  const series = [
    ...largest,
    ...(data.rows.some(({ model }) => !largest.includes(model)) ? [t('others')] : []),
  ];
  const days = Map.groupBy(data.rows, ({ day }) => day);
  const bars = daysOfMonth(month).map((day) => ({
    name: day,
    label: String(Number(day.slice(-2))),
    parts: partsOf(days.get(day) ?? [], series),
  }));
  return (
    <BarChart
      title={t('byDayAndModel')}
      bars={bars}
      series={series}
      onChoose={({ name }) => navigate(spacePage(space, 'requests', rangeOfDay(name)))}
    />
  );
}

/** In the order of the series, of which the last takes every model that has none. */
function partsOf(rows: readonly DayRow[], series: readonly string[]) {
  const named = Map.groupBy(rows, ({ model }) => (series.includes(model) ? model : (series.at(-1) ?? '')));
  return series.flatMap((name) => {
    const own = named.get(name);
    return own === undefined ? [] : [{ series: name, value: sumOf(own) }];
  });
}

function largestModels(rows: readonly DayRow[]): string[] {
  const sums = [...Map.groupBy(rows, ({ model }) => model)].map(
    ([model, own]) => [model, Number(sumOf(own))] as const,
  );
  return sums
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MODELS_MAX)
    .map(([model]) => model);
}

function sumOf(rows: readonly DayRow[]): string {
  return printUnits(sumUnits(rows.map(({ cost }) => parseUnits(cost))));
}
