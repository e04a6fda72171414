/** Downloads the whole list of the page with its filters. */
import { useState } from 'react';
import type { InputOf, OperationName } from '../../../gateway/src/contract/administration/admin-endpoints.ts';
import { readWholeCsv } from '../api/read-csv.ts';
import { commonTexts } from '../text/common-texts.ts';
import { useTexts } from '../text/use-texts.ts';
import { ThrownNote } from './failure-note.tsx';

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
  const t = useTexts(commonTexts);
  const [runs, setRuns] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const download = async (): Promise<void> => {
    setRuns(true);
    setError(null);
    try {
      save(await readWholeCsv(name, input), `${filename ?? name}.csv`);
    } catch (thrown) {
      setError(thrown);
    }
    setRuns(false);
  };
  return (
    <>
      <button type="button" disabled={runs} onClick={() => void download()}>
        {label ?? t('downloadCsv')}
      </button>
      <ThrownNote error={error} />
    </>
  );
}

function save(text: string, filename: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  [link.href, link.download] = [address, filename];
  link.click();
  URL.revokeObjectURL(address);
}
