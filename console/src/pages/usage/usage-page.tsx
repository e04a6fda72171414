/** What was used in a calendar month (KST), by model, key, member, day, end user, session or a tag. The rows add up to the total exactly. */
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useRead } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { MonthPeriod, MonthPicker, shownMonth } from '../../parts/month-picker.tsx';
import { Card, Figure, Figures, Page } from '../../parts/page.tsx';
import { ReadNote } from '../../parts/read-note.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { WorthNote } from '../../parts/worth-note.tsx';
import { useRole } from '../../session/session.ts';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printCount } from '../../text/times.ts';
import { isPlainTab, type MonthUsage, TAG, tabOf, tagKeyOf, usageTabs } from './month-usage.ts';
import { usageTexts } from './texts.ts';
import style from './usage.module.css';
import { UsageChart } from './usage-chart.tsx';
import { UsageTable } from './usage-table.tsx';

export function UsagePage() {
  const t = useTexts(usageTexts);
  const space = useSpace();
  const { isAdmin } = useRole();
  const [search, change] = useSearchState();
  const month = shownMonth(search.month);
  const inUse = useRead('usage.dimensions', { space, month }).data?.dimensions ?? [];
  const asked = tabOf(search.by) === undefined ? 'model' : (search.by ?? 'model');
  const tab = tabOf(asked) ?? 'model';
  // A member has one row by member: their own. An address may name what is not in use in another month.
  const tabs = usageTabs.filter((one) =>
    isPlainTab(one) ? isAdmin || one !== 'member' : one === tab || inUse.some((used) => tabOf(used) === one),
  );
  const by = tabs.includes(tab) ? asked : 'model';
  const tags = [...new Set([...inUse, by])].filter((one) => tabOf(one) === TAG).toSorted();
  const read = useRead('reports.usage', { space, month, by });
  const report = read.data?.by === by && read.data.month === month ? read.data : null;
  const choose = (chosen: string): void => change({ by: chosen }, { replace: true });
  return (
    <Page
      title={t('title')}
      intro={t(isAdmin ? 'intro' : 'introOwn')}
      actions={
        <>
          <MonthPicker month={month} onChoose={(chosen) => change({ month: chosen })} />
          <a className="button" href={csvAddress('reports.usage', { space, month, by })} download>
            {t('downloadCsv')}
          </a>
        </>
      }
    >
      <ReadNote read={read} waits={report === null} />
      {report !== null && (
        <>
          <MonthPeriod start={report.period_start} end={report.period_end} />
          <Totals report={report} />
          <Tabs
            id="usage"
            label={t('by')}
            current={tabOf(by) ?? 'model'}
            tabs={tabs.map((id) => ({ id, label: t(`by_${id}`) }))}
            onChoose={(chosen) => choose(chosen === TAG ? (tags[0] ?? chosen) : chosen)}
          />
          <Card>
            {tabOf(by) === TAG && (
              <div className={style.tag}>
                <Choice label={t('name_tag')} value={by} values={tags} labelOf={tagKeyOf} onChoose={choose} />
              </div>
            )}
            <UsagePanel report={report} />
          </Card>
        </>
      )}
    </Page>
  );
}

function Totals({ report: { total, worth } }: { report: MonthUsage }) {
  const t = useTexts(usageTexts);
  const count = (value: number): string => printCount(value, currentLanguage());
  return (
    <Card>
      <Figures>
        <Figure name={t('units')}>
          <UnitAmount value={total.cost} />
          <WorthNote units={total.cost} rate={worth} />
        </Figure>
        <Figure name={t('requests')} note={t('requestsHint')}>
          {count(total.requests)}
        </Figure>
        {total.unpriced > 0 && (
          <Figure name={t('unpriced')} note={t('unpricedHint')}>
            {count(total.unpriced)}
          </Figure>
        )}
      </Figures>
    </Card>
  );
}

function UsagePanel({ report }: { report: MonthUsage }) {
  return (
    <div id="usage-panel" role="tabpanel" aria-labelledby={`usage-${tabOf(report.by)}`}>
      <UsageChart report={report} />
      <UsageTable report={report} />
    </div>
  );
}
