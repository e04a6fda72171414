/** Downloads the whole list of the page with its filters. */
import type { InputOf, OperationName } from '../../../gateway/src/contract/administration/admin-endpoints.ts';
import { readWholeCsv } from '../api/read-csv.ts';
import { saveFile } from '../api/save-file.ts';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { ThrownNote } from './failure-note.tsx';
import { useRun } from './use-run.ts';

interface CsvButtonProps<Name extends OperationName> {
  readonly name: Name;
  readonly input: InputOf<Name>;
  /** Default: "Download CSV". */
  readonly label?: string;
  /** The name of the file, without its ending. Default: the name of the operation. */
  readonly filename?: string;
}

export function CsvButton<Name extends OperationName>({
  name,
  input,
  label,
  filename,
}: CsvButtonProps<Name>) {
  const t = useTexts(wordTexts);
  const { runs, error, run } = useRun();
  const download = async (): Promise<void> => {
    const text = await readWholeCsv(name, input);
    saveFile(`${filename ?? name}.csv`, new Blob([text], { type: 'text/csv' }));
  };
  return (
    <>
      <button type="button" disabled={runs} onClick={() => void run(download)}>
        {label ?? t('downloadCsv')}
      </button>
      <ThrownNote error={error} />
    </>
  );
}
