import { Field } from '../../parts/field.tsx';
import { Card } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { modeCalls } from './mode-calls.ts';
import { isText } from './modes.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';
import type { FieldName, Playground } from './use-playground.ts';

interface SettingsPanelProps {
  readonly playground: Playground;
  readonly errors: Readonly<Partial<Record<FieldName, string>>>;
  readonly system: string;
  onSystem(system: string): void;
}

export function SettingsPanel({ playground, errors, system, onSystem }: SettingsPanelProps) {
  const t = useTexts(playgroundTexts);
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
        {modeCalls[mode].settings.map(({ name, label, numeric, rows }) => (
          <Field
            key={name}
            label={t(label)}
            hint={t(label === 'maxTokens' && mode === 'messages' ? 'maxTokensHintMessages' : `${label}Hint`)}
            error={errors[name]}
          >
            {(control) => {
              const shared = {
                ...control,
                value: fields[name],
                onChange: (event: { target: { value: string } }) => setField(name, event.target.value),
                onBlur: keep,
              };
              return rows === undefined ? (
                <input {...shared} {...(numeric && { inputMode: 'decimal' as const })} />
              ) : (
                <textarea {...shared} className={style.json} rows={rows} spellCheck={false} />
              );
            }}
          </Field>
        ))}
      </div>
    </Card>
  );
}
