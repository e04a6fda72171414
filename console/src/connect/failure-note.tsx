import type { Failure } from '../api/failure.ts';

/** The gateway's sentence, and the name under which it is found in the logs. */
export function FailureNote({ failure }: { failure: Failure }) {
  return (
    <div role="alert" className="failure">
      <p>{failure.sentence}</p>
      {failure.errorRef !== null && (
        <p className="small">
          Quote <code>{failure.errorRef}</code> when you ask for help.
        </p>
      )}
    </div>
  );
}
