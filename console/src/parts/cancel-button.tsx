/** Cancels work in the background with the key of its owner, after it asked. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { askGateway } from '../api/ask-gateway.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface CancelButtonProps {
  readonly label: string;
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  /** Such as `/v1/batches/batch_…/cancel`. */
  readonly path: string;
  readonly ownKey: string;
  readonly disabled?: boolean;
}

export function CancelButton({ label, title, text, path, ownKey, disabled = false }: CancelButtonProps) {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const cancel = async (): Promise<void> => {
    const { signal } = new AbortController();
    await askGateway(path, { key: ownKey, signal, body: {} });
    await queries.invalidateQueries();
  };
  return (
    <div>
      <button type="button" className="danger" disabled={disabled} onClick={() => setAsks(true)}>
        {label}
      </button>
      {asks && (
        <ConfirmDialog title={title} confirm={label} danger run={cancel} onClose={() => setAsks(false)}>
          <p>{text}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
