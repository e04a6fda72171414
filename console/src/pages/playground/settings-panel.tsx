import { Field } from '../../parts/field.tsx';
import { Card } from '../../parts/page.tsx';
import { useSaid, useTexts } from '../../text/say.ts';
import type { CheckedSettings } from './check-settings.ts';
import { modeCalls, type SettingKind } from './mode-calls.ts';
import { isText } from './modes.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';
import type { Playground } from './use-playground.ts';

interface SettingsPanelProps {
  readonly playground: Playground;
  readonly errors: CheckedSettings['errors'];
  readonly system: string;
  onSystem(system: string): void;
}

export function SettingsPanel({ playground, errors, system, onSystem }: SettingsPanelProps) {
  const t = useTexts(playgroundTexts);
  const say = useSaid();
  const { mode, fields, setField, keep } = playground;
  return (
    <Card title={t('settings')}>
      <div className={style.settings}>
        {isText(mode) && (
          <Field label={t('system')} hint={t('systemHint')}>
            {(control) => (
              <textarea
                {...control}
                rows={3}
                value={system}
                onChange={(event) => onSystem(event.target.value)}
              />
            )}
          </Field>
        )}
        {modeCalls[mode].settings.map(({ name, label, hint, kind }) => (
          <Field key={name} label={say(label)} hint={say(hint)} error={errors[name]}>
            {(control) => {
              const shared = {
                ...control,
                value: fields[name],
                onChange: (event: { target: { value: string } }) => setField(name, event.target.value),
                onBlur: keep,
              };
              return isJson(kind) ? (
                <textarea {...shared} className={style.json} rows={4} spellCheck={false} />
              ) : (
                <input {...shared} {...(kind !== 'words' && { inputMode: 'decimal' as const })} />
              );
            }}
          </Field>
        ))}
      </div>
    </Card>
  );
}

function isJson(kind: SettingKind): boolean {
  return kind === 'list' || kind === 'object';
}
