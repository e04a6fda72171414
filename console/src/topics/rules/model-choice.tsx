/** Which models a key may use: all, or some of them. */

import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useTexts } from '../../text/say.ts';
import style from './model-choice.module.css';
import { modelChoiceTexts } from './model-choice-texts.ts';

export function ModelChoice(props: {
  /** Null: all. */
  chosen: readonly string[] | null;
  onChoose(models: readonly string[] | null): void;
}) {
  const { chosen, onChoose } = props;
  const t = useTexts(modelChoiceTexts);
  const { data, error } = useRead('models.list', { space: useSpace() });
  // A model that was removed from the configuration may still be allowed.
  const codes = [...new Set([...(data?.data.map(({ id }) => id) ?? []), ...(chosen ?? [])])];
  return (
    <fieldset className={style.choice}>
      <legend>{t('models')}</legend>
      <label>
        <input type="radio" name="models" checked={chosen === null} onChange={() => onChoose(null)} />
        {t('allModels')}
      </label>
      <label>
        <input type="radio" name="models" checked={chosen !== null} onChange={() => onChoose(chosen ?? [])} />
        {t('someModels')}
      </label>
      <ThrownNote error={error} />
      {chosen !== null && (
        <div className={style.models}>
          {codes.map((code) => (
            <label key={code}>
              <input
                type="checkbox"
                checked={chosen.includes(code)}
                onChange={({ target }) =>
                  onChoose(target.checked ? [...chosen, code] : chosen.filter((one) => one !== code))
                }
              />
              {code}
            </label>
          ))}
        </div>
      )}
      {chosen?.length === 0 && <p className="hint">{t('chooseModel')}</p>}
    </fieldset>
  );
}
