/**
 * A window over the page, in its middle or at its side. The browser's own dialog keeps the focus inside and closes on
 * Escape. The focus goes back to where it was, which the browser does only for a dialog that stays in the page.
 */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import style from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** At the right side of the page instead of in its middle. */
  readonly side?: boolean;
  /** Beside the title. */
  readonly head?: ReactNode;
  onClose(): void;
}

/** Open as long as it is drawn. */
export function Dialog({ title, children, side = false, head, onClose }: DialogProps) {
  const t = useTexts(wordTexts);
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    if (shown !== null && !shown.open) shown.showModal();
    // The browser would choose the button that closes it.
    shown?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      shown?.close();
      giveFocusBack(before);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, which the browser does
    <dialog
      ref={dialog}
      className={side ? style.side : style.middle}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // One inside it was meant.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onClose={(event) => {
        // On the second Escape the browser closes it without asking; the page decides whether it stays.
        if (event.target !== dialog.current || dialog.current.open) return;
        dialog.current.showModal();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={style.inside}>
        <header className={style.head}>
          <h2 id={titleId}>{title}</h2>
          {head}
          <button type="button" className={style.close} aria-label={t('close')} onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** What had the focus may be gone, such as the button of something that was removed. Then it goes to what is left. */
function giveFocusBack(to: Element | null): void {
  if (to instanceof HTMLElement && to.isConnected) to.focus();
  else if (document.activeElement === document.body) {
    const below = [...document.querySelectorAll('dialog[open]')].at(-1);
    (below?.querySelector('button') ?? document.querySelector('main'))?.focus();
  }
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return <div className={style.buttons}>{children}</div>;
}
