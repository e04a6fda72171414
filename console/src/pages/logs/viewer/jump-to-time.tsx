/** Goes to a moment of the log. */
import { useId, useRef } from 'react';
import { systemClock } from '../../../../../gateway/src/kernel/time.ts';
import { Field, Form } from '../../../parts/field.tsx';
import { useTexts } from '../../../text/say.ts';
import { logsTexts } from '../texts.ts';
import style from './log-viewer.module.css';
import { placeBelow } from './pod-filter.tsx';
import { fieldTime, readFieldTime, type TimeMode } from './print-log-time.ts';

interface JumpToTimeProps {
  /** The moment that is shown; null: none. */
  readonly at: number | null;
  readonly times: TimeMode;
  onJump(at: number): void;
}

export function JumpToTime({ at, times, onJump }: JumpToTimeProps) {
  const t = useTexts(logsTexts);
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const mode = times === 'off' ? 'kst' : times;
  const jump = (): void => {
    const instant = readFieldTime(field.current?.value ?? '', mode);
    if (instant === null) return;
    popover.current?.hidePopover();
    onJump(instant);
  };
  return (
    <>
      <button type="button" popoverTarget={id} className={style.tool} data-on={at !== null}>
        {t('jump')}
      </button>
      <div id={id} ref={popover} popover="auto" className={style.popover} onToggle={placeBelow}>
        <Form onSubmit={jump}>
          <Field label={t('jumpField', { zone: t(`time_${mode}`) })}>
            {(control) => (
              <input
                {...control}
                ref={field}
                key={`${at} ${mode}`}
                type="datetime-local"
                step={1}
                required
                defaultValue={fieldTime(at ?? systemClock.now(), mode)}
              />
            )}
          </Field>
          <button type="submit" className="main">
            {t('jumpGo')}
          </button>
        </Form>
      </div>
    </>
  );
}
