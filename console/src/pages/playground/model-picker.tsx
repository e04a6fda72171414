import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { useTexts } from '../../text/say.ts';
import { canDo, MODELS_MAX } from './modes.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';
import type { Playground } from './use-playground.ts';

/** One model, or up to four side by side. The first decides what can be called. */
export function ModelPicker({
  models,
  playground,
}: {
  models: readonly ModelObject[];
  playground: Playground;
}) {
  const t = useTexts(playgroundTexts);
  const { chosen, mode } = playground;
  return (
    <fieldset className={style.models}>
      <legend className="heard">{t('models')}</legend>
      {chosen.map(({ id }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same model may be chosen twice
        <div key={place} className={style.model}>
          <select
            aria-label={t('modelNumber', { number: place + 1 })}
            value={id}
            onChange={(event) => playground.chooseModel(place, event.target.value)}
          >
            {models
              .filter((model) => place === 0 || canDo(model, mode))
              .map((model) => (
                <option key={model.id} value={model.id}>
                  {model.id}
                </option>
              ))}
          </select>
          {chosen.length > 1 && (
            <button
              type="button"
              aria-label={t('removeModel', { model: id })}
              onClick={() => playground.removeModel(place)}
            >
              ✕
            </button>
          )}
        </div>
      ))}
      {chosen.length < MODELS_MAX && (
        <button type="button" onClick={playground.addModel}>
          {t('addModel')}
        </button>
      )}
    </fieldset>
  );
}
