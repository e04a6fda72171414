/** The statement of a month, made to be printed: movements, charges by model and key, and their agreement. */
import type { ReactNode } from 'react';
import { SpaceLink } from '../../../addresses/space-link.tsx';
import { useSearchState } from '../../../addresses/use-search.ts';
import { useSpace } from '../../../addresses/use-space.ts';
import { csvAddress } from '../../../api/ask-console.ts';
import { useRead } from '../../../api/use-operation.ts';
import { CsvButton } from '../../../parts/csv-button.tsx';
import { MonthPeriod, MonthPicker, shownMonth } from '../../../parts/month-picker.tsx';
import { NotAllowed } from '../../../parts/not-allowed.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReadNote } from '../../../parts/read-note.tsx';
import { useRole } from '../../../session/session.ts';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { currentMonth, printKst, printMonth } from '../../../text/times.ts';
import { AgreementPairs } from './agreement-pairs.tsx';
import { ChargeTable } from './charge-table.tsx';
import { type MonthStatement, MovementTable } from './movement-table.tsx';
import style from './statement.module.css';
import { statementTexts } from './texts.ts';

export function StatementPage() {
  const t = useTexts(statementTexts);
  const { isAdmin } = useRole();
  return isAdmin ? <OfMonth /> : <NotAllowed title={t('title')} needs="admin" />;
}

function OfMonth() {
  const t = useTexts(statementTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const month = shownMonth(search.month);
  const read = useRead('statements.get', { space, month });
  const statement = read.data?.month === month ? read.data : null;
  return (
    <div className={style.sheet}>
      <Page
        title={`${t('title')}: ${space}, ${printMonth(month, currentLanguage())}`}
        intro={<span className={style.onScreen}>{t('intro')}</span>}
        actions={
          <div className={`beside ${style.actions}`}>
            <MonthPicker month={month} onChoose={(chosen) => change({ month: chosen })} />
            <a className="button" href={csvAddress('statements.get', { space, month })} download>
              {t('downloadCsv')}
            </a>
            <CsvButton
              name="reports.focus"
              input={{ space, month }}
              label={t('focus')}
              filename={`focus-${space}-${month}`}
            />
            <button type="button" className="main" onClick={() => print()}>
              {t('print')}
            </button>
          </div>
        }
      >
        <p className={`hint ${style.onScreen}`}>
          {t('focusHint')} <SpaceLink page="balance">{t('toBalance')}</SpaceLink>
        </p>
        <ReadNote read={read} waits={statement === null} />
        {statement !== null && <Sheet statement={statement} at={read.dataUpdatedAt} />}
      </Page>
    </div>
  );
}

function Sheet({ statement, at }: { statement: MonthStatement; at: number }) {
  const t = useTexts(statementTexts);
  const { month, models, keys, charged, worth } = statement;
  return (
    <>
      <div>
        <MonthPeriod start={statement.period_start} end={statement.period_end} />
        <p className="hint">
          {t('issued', { time: printKst(at) })} {month === currentMonth(Date.now()) && t('running')}
        </p>
        {worth !== null && <p className="hint">{t('unitValue', worth)}</p>}
      </div>
      <Part title={t('movements')}>
        <MovementTable statement={statement} />
      </Part>
      <Part title={t('byModel')}>
        <ChargeTable
          caption={t('byModel')}
          title={t('model')}
          charged={charged}
          rate={worth}
          rows={models.map(({ model, ...row }) => ({ ...row, id: model, name: <code>{model}</code> }))}
        />
      </Part>
      <Part title={t('byKey')}>
        <ChargeTable
          caption={t('byKey')}
          title={t('key')}
          charged={charged}
          rate={worth}
          rows={keys.map(({ key, member, ...row }) => ({
            ...row,
            name: (
              <>
                {key}
                <span className={style.under}>{member ?? t('shared')}</span>
              </>
            ),
          }))}
        />
      </Part>
      <Part title={t('agreement')}>
        <AgreementPairs statement={statement} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`stack close ${style.part}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
