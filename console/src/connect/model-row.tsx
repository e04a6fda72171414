import { useId } from 'react';
import type { Capability, ModelObject } from '../../../gateway/src/contract/models.ts';
import { canChat } from '../api/list-models.ts';

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
        <Price name="Input" amount={model.pricing?.input} />
        <Price name="Output" amount={model.pricing?.output} />
      </span>
      <span id={`${id}-capabilities`} className="capabilities">
        {chats ? capabilities.join(' · ') : 'does not chat'}
      </span>
    </label>
  );
}

/** A price that is not known is not zero, and looks different from it. */
function Price({ name, amount }: { name: string; amount: string | undefined }) {
  return (
    <span className="price">
      <span className="heard">{name} </span>
      {amount ?? (
        <>
          <span aria-hidden="true">–</span>
          <span className="heard">not priced</span>
        </>
      )}
      <span className="heard">, </span>
    </span>
  );
}
