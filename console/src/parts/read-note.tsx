/** What stands in place of something that is read: that it is being loaded, or why it could not be. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { ThrownNote } from './failure-note.tsx';

/** `waits`: there is nothing to show yet. */
export function ReadNote({ read: { error, refetch }, waits }: { read: UseQueryResult; waits: boolean }) {
  const t = useTexts(wordTexts);
  return (
    <>
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {waits && error === null && <p role="status">{t('loading')}</p>}
    </>
  );
}
