/** What a model says, while it says it. */
export function AnswerText({ text, busy }: { text: string; busy: boolean }) {
  return (
    <p className="said">
      {text}
      {busy && <span className="caret" aria-hidden="true" />}
    </p>
  );
}
