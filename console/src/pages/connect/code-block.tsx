/** Code in which the key is masked on the screen and whole in the copy. */
import type { ClipboardEvent } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useTexts } from '../../text/say.ts';
import { connectTexts } from './texts.ts';

interface CodeBlockProps {
  readonly shown: string;
  readonly real: string;
  /** What stands for the key on the screen; null if the key is shown. */
  readonly hidden: { readonly visible: string; readonly key: string } | null;
  readonly words: readonly string[];
  readonly note: string;
  readonly what: string;
  onCopied(): void;
}

export function CodeBlock({ shown, real, hidden, words, note, what, onCopied }: CodeBlockProps) {
  const t = useTexts(connectTexts);
  // A copied selection has the key, not the dots that hide it.
  const copySelection = (event: ClipboardEvent): void => {
    const selected = getSelection()?.toString() ?? '';
    if (hidden === null || !selected.includes(hidden.visible)) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', selected.replaceAll(hidden.visible, hidden.key));
  };
  return (
    <div className="sample">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre onCopy={copySelection} tabIndex={0}>
        <code>
          <Tinted text={shown} words={words} />
        </code>
      </pre>
      <div className="under">
        <span className="hint">
          {note}
          {hidden !== null && shown.includes(hidden.visible) && ` ${t('wholeKey')}`}
        </span>
        <CopyButton text={real} what={what} onCopied={onCopied} />
      </div>
    </div>
  );
}

/** Text in which the words that were filled in stand out. */
function Tinted({ text, words }: { text: string; words: readonly string[] }) {
  const wanted = words.map((word) => word.replace(/[^\w]/g, '\\$&')).join('|');
  // A split by a group keeps what it split by, at every odd place.
  return text.split(new RegExp(`(${wanted})`)).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name and no state
      <mark key={place}>{part}</mark>
    ),
  );
}
