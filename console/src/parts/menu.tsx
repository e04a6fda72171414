/** A button that opens a list of actions. The browser closes it on Escape and on a click elsewhere. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import style from './menu.module.css';

interface MenuProps {
  /** What is on the button. */
  readonly children: ReactNode;
  /** The name of the button where its content says too little. */
  readonly label?: string;
  readonly items: ReadonlyArray<MenuItem | null>;
  readonly buttonClass?: string | undefined;
}

export interface MenuItem {
  readonly label: string;
  readonly danger?: boolean;
  readonly current?: boolean;
  run(): void;
}

/** An item that is null is a line. */
export function Menu({ children, label, items, buttonClass }: MenuProps) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const place = (): void => {
    const [from, shown] = [button.current?.getBoundingClientRect(), popover.current];
    if (from === undefined || shown === null) return;
    const { offsetWidth: width, offsetHeight: height } = shown;
    const below = from.bottom + 4 + height <= innerHeight;
    shown.style.top = `${below ? from.bottom + 4 : Math.max(8, from.top - 4 - height)}px`;
    shown.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`;
    shown.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  };
  const move = (event: KeyboardEvent): void => {
    const all = [...(popover.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const places: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = places[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={buttonClass}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={label}
      >
        {children}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="menu"
        className={style.menu}
        onToggle={(event) => event.newState === 'open' && place()}
        onKeyDown={move}
      >
        {items.map((item, i) =>
          item === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name
            <hr key={i} />
          ) : (
            <button
              key={item.label}
              type="button"
              {...roleOf(item)}
              tabIndex={-1}
              className={item.danger ? style.danger : undefined}
              onClick={() => {
                popover.current?.hidePopover();
                item.run();
              }}
            >
              {item.label}
            </button>
          ),
        )}
      </div>
    </>
  );
}

function roleOf({ current }: MenuItem): { role: string; 'aria-checked'?: boolean } {
  return current === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': current };
}
