import { useEffect, useState } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 2_000;
const words = { idle: 'copy', copied: 'copied', failed: 'selectByHand' } as const;

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  onCopied?(): void;
}

/** `what` completes the button's name for those who hear it: "Copy the base URL". */
export function CopyButton({ text, what, onCopied }: CopyButtonProps) {
  const t = useTexts(wordTexts);
  const [state, setState] = useState<keyof typeof words>('idle');

  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async (): Promise<void> => {
    const copied = await copyText(text);
    setState(copied ? 'copied' : 'failed');
    if (copied) onCopied?.();
  };
  return (
    <>
      <button type="button" className={`copy ${state}`} onClick={() => void copy()}>
        {t(words[state])}
        <span className="heard"> {what}</span>
      </button>
      <span role="status" className="heard">
        {state === 'idle' ? '' : t(words[state])}
      </span>
    </>
  );
}
