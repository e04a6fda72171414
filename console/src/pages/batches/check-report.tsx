/** What a file is, which rows are wrong, and about what it will cost. */
import type { CheckedStream } from '../../../../gateway/src/client/check-batch-stream.ts';
import type { RoughEstimate } from '../../../../gateway/src/client/rough-batch-estimate.ts';
import type { BadRow } from '../../../../gateway/src/contract/batch-lines/row-fault.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { Figure, Figures } from '../../parts/page.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printBytes, printCount } from '../../text/times.ts';
import style from './batches.module.css';
import { rowAdviceTexts } from './row-advice-texts.ts';
import { rowReasonTexts } from './row-reason-texts.ts';
import { batchTexts } from './texts.ts';

interface CheckReportProps {
  readonly checked: CheckedStream;
  readonly estimate: RoughEstimate;
  readonly bytes: number;
}

const ROWS_SHOWN = 20;

export function CheckReport({ checked, estimate, bytes }: CheckReportProps) {
  const t = useTexts(batchTexts);
  const { rows, model, url, badRows, badRowCount, listedRowCount } = checked.report;
  const facts = { rows, size: printBytes(bytes), model: model?.code ?? 'none', url: url ?? '' };
  return (
    <>
      <p>{t('fileFacts', facts)}</p>
      {badRowCount > 0 ? (
        <>
          <p role="alert" className="failure">
            {t('rejected', { count: badRowCount })}
          </p>
          <BadRows rows={badRows} />
          {badRowCount > listedRowCount && (
            <p className="hint">{t('moreRows', { count: badRowCount - listedRowCount })}</p>
          )}
        </>
      ) : (
        <p role="status" className={style.valid}>
          {t('accepted')}
        </p>
      )}
      <FailingRows checked={checked} />
      {badRowCount === 0 && <Estimate estimate={estimate} />}
    </>
  );
}

function BadRows({ rows }: { rows: readonly BadRow[] }) {
  const t = useTexts(batchTexts);
  const reasonOf = useTexts(rowReasonTexts);
  const sentenceOf = useTexts(rowAdviceTexts);
  return (
    <PlainTable
      caption={t('reason')}
      rows={rows}
      rowKey={({ row, reason, field }) => `${row} ${reason} ${field}`}
      columns={[
        { key: 'row', title: t('row'), as: 'number' },
        {
          key: 'reason',
          title: t('reason'),
          cell: ({ reason, sentences }) => (
            <>
              <strong>{reasonOf(reason)}</strong>
              <br />
              <span className={style.advice}>
                {sentences.map(({ name, values }) => sentenceOf(name, values)).join(' ')}
              </span>
            </>
          ),
        },
        {
          key: 'field',
          title: t('field'),
          wide: true,
          cell: ({ field }) => (field === null ? '–' : <code>{field}</code>),
        },
      ]}
    />
  );
}

/** Rows that the upload takes although they cannot work. */
function FailingRows({ checked: { failing, report } }: { checked: CheckedStream }) {
  const t = useTexts(batchTexts);
  const [first] = failing;
  if (first === undefined) return null;
  const { sent, wanted } = first;
  const rest = failing.length > ROWS_SHOWN ? ' …' : '';
  const rows = failing
    .slice(0, ROWS_SHOWN)
    .map(({ row }) => row)
    .join(', ');
  return (
    <div className="warning">
      <p>{t('failing', { count: failing.length, model: report.model?.code ?? '', sent, wanted })}</p>
      <p>{t('failingRows', { rows: rows + rest })}</p>
    </div>
  );
}

function Estimate({ estimate }: { estimate: RoughEstimate }) {
  const t = useTexts(batchTexts);
  const language = currentLanguage();
  const { inputTokens, outputTokensMax, uncappedRows, inputUnits, unitsMax } = estimate;
  const tokens = (count: number): string => t('tokens', { count: printCount(count, language) });
  return (
    <section aria-label={t('estimate')} className={`well ${style.estimate}`}>
      <Figures>
        <Figure name={t('inputTokens')}>{tokens(inputTokens)}</Figure>
        {outputTokensMax > 0 && <Figure name={t('outputTokens')}>{tokens(outputTokensMax)}</Figure>}
        <Figure name={t('totalUnits')} as="units" value={unitsMax} />
      </Figures>
      {uncappedRows > 0 && <p>{t('uncapped', { count: uncappedRows })}</p>}
      {inputUnits === null && <p>{t('noPrice')}</p>}
      <p className="hint">{t('estimateNote')}</p>
    </section>
  );
}
