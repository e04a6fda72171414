import { useId } from 'react';
import type { ModelObject, ModelPricing } from '../../../../gateway/src/contract/models.ts';
import { canChat } from '../../api/list-models.ts';
import { useTexts } from '../../text/say.ts';
import { connectTexts } from './texts.ts';

interface ModelRowProps {
  readonly model: ModelObject;
  readonly chosen: boolean;
  onChoose(): void;
}

export function ModelRow({ model, chosen, onChoose }: ModelRowProps) {
  const t = useTexts(connectTexts);
  const id = useId();
  const chats = canChat(model);
  const capabilities = model.capabilities.map((name) => t(name));
  return (
    <label className={chosen ? 'model chosen' : 'model'}>
      <input
        type="radio"
        name="model"
        checked={chosen}
        disabled={!chats}
        aria-labelledby={`${id}-code`}
        aria-describedby={`${id}-price ${id}-capabilities`}
        onChange={onChoose}
      />
      <code id={`${id}-code`}>{model.id}</code>
      <span id={`${id}-price`} className="prices">
        <Prices pricing={model.pricing} />
      </span>
      <span id={`${id}-capabilities`} className="capabilities">
        {chats ? capabilities.join(' · ') : t('noChat')}
      </span>
    </label>
  );
}

/** Tokens have two prices; what is charged by the image or by the second has one, of the default. */
function Prices({ pricing }: { pricing: ModelPricing | null }) {
  const t = useTexts(connectTexts);
  if (pricing?.per === 'image') return <Price name={t('image')} amount={pricing.per_image} per="perImage" />;
  if (pricing?.per === 'second')
    return <Price name={t('video')} amount={pricing.per_second} per="perSecond" />;
  return (
    <>
      <Price name={t('input')} amount={pricing?.input} />
      <Price name={t('output')} amount={pricing?.output} />
    </>
  );
}

/** A price that is not known is not zero, and looks different from it. */
function Price(props: { name: string; amount: string | undefined; per?: 'perImage' | 'perSecond' }) {
  const t = useTexts(connectTexts);
  const { name, amount, per } = props;
  return (
    <span className="price">
      <span className="heard">{name} </span>
      {amount === undefined ? (
        <>
          <span aria-hidden="true">–</span>
          <span className="heard">{t('notPriced')}</span>
        </>
      ) : per === undefined ? (
        amount
      ) : (
        t(per, { amount })
      )}
      <span className="heard">, </span>
    </span>
  );
}
