import { asFailure, type Failure } from '../api/failure.ts';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';

/** The gateway's sentence, and the name under which it is found in the logs. */
export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const t = useTexts(wordTexts);
  return (
    <div role="alert" className="failure">
      <p>{failure.sentence}</p>
      {failure.errorRef !== null && (
        <p className="small">
          {t('askForHelp')} <code>{failure.errorRef}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {t('tryAgain')}
        </button>
      )}
    </div>
  );
}

/** What was thrown, or nothing. */
export function ThrownNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  return <FailureNote failure={asFailure(error)} {...(onRetry && { onRetry })} />;
}
