/** What was used in the current calendar month (KST), as figures and by day. */

import { SpaceLink } from '../../addresses/space-link.tsx';
import { spacePage } from '../../addresses/space-page.ts';
import { useGo } from '../../addresses/use-go.ts';
import { BarChart } from '../../parts/chart/bar-chart.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { Card, Figure, Figures } from '../../parts/page.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { WorthNote } from '../../parts/worth-note.tsx';
import { currentLanguage } from '../../text/language.ts';
import { daysOfMonth, rangeOfDay } from '../../text/month-days.ts';
import { useTexts } from '../../text/say.ts';
import { printCount, printMonth } from '../../text/times.ts';
import type { Overview } from './overview.ts';
import { homeTexts } from './texts.ts';

export function MonthCard({ overview }: { overview: Overview }) {
  const t = useTexts(homeTexts);
  const { month, space } = overview;
  const isMember = space.role === 'member';
  const count = (value: number): string => printCount(value, currentLanguage());
  return (
    <Card
      title={t(isMember ? 'monthOwn' : 'month', { month: printMonth(month.month, currentLanguage()) })}
      side={<SpaceLink page="usage">{t('toUsage')}</SpaceLink>}
    >
      <div className="stack loose">
        <Figures>
          <Figure
            name={t('units')}
            note={month.unpriced > 0 ? t('unpriced', { count: month.unpriced }) : undefined}
          >
            <UnitAmount value={month.cost} />
            <WorthNote units={month.cost} rate={month.worth} />
          </Figure>
          <Figure name={t('requests')}>{count(month.requests)}</Figure>
          {month.active_keys !== null && <Figure name={t('activeKeys')}>{count(month.active_keys)}</Figure>}
        </Figures>
        {overview.days.length === 0 ? (
          <p className="hint">{t('noUsage')}</p>
        ) : (
          <DayChart overview={overview} />
        )}
      </div>
    </Card>
  );
}

function DayChart({ overview: { month, days, space } }: { overview: Overview }) {
  const t = useTexts(homeTexts);
  const navigate = useGo();
  const used = new Map(days.map(({ day, cost }) => [day, cost]));
  const bars = daysOfMonth(month.month).map((day) => ({
    name: day,
    label: String(Number(day.slice(-2))),
    parts: [{ series: t('units'), value: used.get(day) ?? '0' }],
  }));
  return (
    <BarChart
      title={t('byDay')}
      bars={bars}
      series={[t('units')]}
      onChoose={({ name }) => navigate(spacePage(space.name, 'requests', rangeOfDay(name)))}
      table={
        <PlainTable
          caption={t('byDay')}
          rows={days}
          rowKey={({ day }) => day}
          columns={[
            {
              key: 'day',
              title: t('day'),
              cell: ({ day }) => (
                <SpaceLink page="requests" search={rangeOfDay(day)}>
                  {day}
                </SpaceLink>
              ),
            },
            { key: 'requests', title: t('requests'), as: 'count' },
            { key: 'cost', title: t('units'), as: 'units' },
          ]}
          foot={
            <tr>
              <th scope="row">{t('total')}</th>
              <td className="number">{printCount(month.requests, currentLanguage())}</td>
              <td className="number">
                <UnitAmount value={month.cost} />
              </td>
            </tr>
          }
        />
      }
    />
  );
}
