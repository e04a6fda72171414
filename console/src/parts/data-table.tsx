/**
 * A list as a table: the first page, and more on demand. A row that can be opened is opened by a click, or by Enter on
 * its first cell. Columns with numbers are aligned to the right.
 */
import type { ReactNode } from 'react';
import type { ListRead } from '../api/use-operation.ts';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import style from './data-table.module.css';
import { ThrownNote } from './failure-note.tsx';
import { isNumeric, type ShapeOf, Shown, type ValueShape } from './shown.tsx';

interface ColumnHead {
  readonly key: string;
  readonly title: string;
  /** Aligned to the right. */
  readonly number?: boolean;
  /** Left out where the screen is narrow. */
  readonly wide?: boolean;
}

interface DrawnColumn<Row> extends ColumnHead {
  cell(row: Row): ReactNode;
}

/** Shows the field of the row that its key names. */
type FieldColumn<Row> = {
  [Name in keyof Row & string as Row[Name] extends string | number | null ? Name : never]: ColumnHead & {
    readonly key: Name;
    readonly as: ShapeOf<Row[Name]>;
    readonly cell?: never;
  };
} extends infer Columns
  ? Columns[keyof Columns]
  : never;

export type Column<Row> = DrawnColumn<Row> | FieldColumn<Row>;

interface DataTableProps<Row> {
  /** What the table is, for those who hear it. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<NoInfer<Row>>>;
  readonly list: ListRead<Row>;
  readonly empty: ReactNode;
  rowKey(row: Row): string;
  /** Opens a row. */
  onOpen?(row: Row): void;
  /** The key of the row that is open. */
  readonly open?: string | undefined;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const t = useTexts(wordTexts);
  const { list, empty } = props;
  if (list.error !== null && list.rows.length === 0)
    return <ThrownNote error={list.error} onRetry={list.reload} />;
  if (list.waits)
    return (
      <p className={style.waits} role="status">
        {t('loading')}
      </p>
    );
  if (list.rows.length === 0) return <>{empty}</>;
  return (
    <>
      <PlainTable {...props} rows={list.rows} />
      <ThrownNote error={list.error} onRetry={list.reload} />
      {list.hasMore && (
        <button type="button" className={style.more} disabled={list.loadsMore} onClick={list.loadMore}>
          {t(list.loadsMore ? 'loadingMore' : 'loadMore')}
        </button>
      )}
    </>
  );
}

interface PlainTableProps<Row>
  extends Pick<DataTableProps<Row>, 'caption' | 'columns' | 'rowKey' | 'onOpen' | 'open'> {
  readonly rows: readonly Row[];
  /** A last row, such as the sum. */
  readonly foot?: ReactNode;
}

export function PlainTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  onOpen,
  open,
  foot,
}: PlainTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways where it does not fit
    <section className={style.scroll} aria-label={caption} tabIndex={0}>
      <table className={style.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = rowKey(row);
            return (
              <tr
                key={key}
                data-row={key}
                aria-selected={onOpen === undefined ? undefined : key === open}
                className={onOpen === undefined ? undefined : style.opens}
                onClick={onOpen === undefined ? undefined : (event) => isPlain(event) && onOpen(row)}
              >
                {columns.map((column, i) => (
                  <td key={column.key} className={classOf(column)}>
                    {i === 0 && onOpen !== undefined ? (
                      <button type="button" className={style.opener} onClick={() => onOpen(row)}>
                        {drawCell(column, row)}
                      </button>
                    ) : (
                      drawCell(column, row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </section>
  );
}

function drawCell<Row>(column: Column<Row>, row: Row): ReactNode {
  if ('cell' in column) return (column as DrawnColumn<Row>).cell(row);
  const { key, as } = column as { key: keyof Row; as: ValueShape };
  return <Shown as={as} value={row[key] as string | number | null} />;
}

function classOf({ number, wide, as }: { number?: boolean; wide?: boolean; as?: ValueShape }): string {
  return [number || isNumeric(as) ? style.number : '', wide ? style.wide : ''].join(' ').trim();
}

/** Not a click on a button or link in the row, and not the end of selecting text. */
function isPlain(event: React.MouseEvent): boolean {
  const inside = (event.target as Element).closest('a, button, input, select, label');
  return inside === null && getSelection()?.toString() === '';
}
