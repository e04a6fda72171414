/** A place to drop a file on, which is also a button to choose one. */
import { type DragEvent, type ReactNode, useId, useState } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import style from './file-drop.module.css';

interface FileDropProps {
  readonly label: string;
  readonly children?: ReactNode;
  /** As in the attribute `accept` of a file field. */
  readonly accept: string;
  readonly disabled?: boolean;
  onFile(file: File): void;
}

export function FileDrop({ label, children, accept, disabled = false, onFile }: FileDropProps) {
  const t = useTexts(wordTexts);
  const id = useId();
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined && !disabled) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside does the same for the keyboard
    <div
      className={style.drop}
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p className={style.title} id={`${id}-title`}>
        {label}
      </p>
      <input
        id={id}
        className="heard"
        type="file"
        aria-describedby={`${id}-title`}
        accept={accept}
        disabled={disabled}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // The same file can be chosen again after it was changed.
          event.target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
      <label htmlFor={id} className={style.button}>
        {t('chooseFile')}
      </label>
      {children}
    </div>
  );
}
