import { useId } from 'react';
import type { Capability, ModelObject, ModelPricing } from '../../../../gateway/src/contract/models.ts';
import { canChat } from '../../api/list-models.ts';

const capabilityNames: Record<Capability, string> = {
  vision: 'vision',
  tools: 'tools',
  json_mode: 'JSON mode',
  json_schema: 'JSON schema',
  streaming: 'streaming',
  image_output: 'image output',
  dimensions: 'dimensions',
  web_search: 'web search',
};

interface ModelRowProps {
  readonly model: ModelObject;
  readonly chosen: boolean;
  onChoose(): void;
}

export function ModelRow({ model, chosen, onChoose }: ModelRowProps) {
  const id = useId();
  const chats = canChat(model);
  const capabilities = model.capabilities.map((name) => capabilityNames[name] ?? name);
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
        {chats ? capabilities.join(' · ') : 'does not chat'}
      </span>
    </label>
  );
}

/** Tokens have two prices; what is charged by the image or by the second has one, of the default. */
function Prices({ pricing }: { pricing: ModelPricing | null }) {
  if (pricing?.per === 'image') return <Price name="Image" amount={pricing.per_image} per="image" />;
  if (pricing?.per === 'second') return <Price name="Video" amount={pricing.per_second} per="second" />;
  return (
    <>
      <Price name="Input" amount={pricing?.input} />
      <Price name="Output" amount={pricing?.output} />
    </>
  );
}

/** A price that is not known is not zero, and looks different from it. */
function Price({ name, amount, per }: { name: string; amount: string | undefined; per?: string }) {
  return (
    <span className="price">
      <span className="heard">{name} </span>
      {amount ?? (
        <>
          <span aria-hidden="true">–</span>
          <span className="heard">not priced</span>
        </>
      )}
      {amount !== undefined && per !== undefined && ` per ${per}`}
      <span className="heard">, </span>
    </span>
  );
}
