import { type ClipboardEvent, useId, useState } from 'react';
import { openaiBaseUrl, type Sample, samples } from '../../../../gateway/src/contract/samples.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { maskKey } from './session-key.ts';
import { Step } from './step.tsx';
import { Tinted } from './tinted.tsx';

interface CodeStepProps {
  readonly apiKey: string;
  readonly keyShown: boolean;
  readonly model: string | null;
  readonly tab: string | null;
  onTab(tab: string): void;
}

export function CodeStep({ apiKey, keyShown, model, tab, onTab }: CodeStepProps) {
  const id = useId();
  const [taken, setTaken] = useState(false);
  const { origin } = location;
  const baseUrl = openaiBaseUrl(origin);
  const sample = samples.find((known) => known.id === tab) ?? (samples[0] as Sample);
  const key = apiKey === '' ? 'YOUR_KEY' : apiKey;
  const visible = apiKey === '' || keyShown ? key : maskKey(apiKey);
  const facts = { origin, model: model ?? 'MODEL' };
  const real = sample.write({ ...facts, key });

  // A copied selection has the key, not the dots that hide it.
  const copySelection = (event: ClipboardEvent): void => {
    const selected = getSelection()?.toString() ?? '';
    if (visible === key || !selected.includes(visible)) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', selected.replaceAll(visible, key));
  };

  return (
    <Step number={3} title="Your code" done={taken}>
      <div className="box">
        <span className="name" id={`${id}-base`}>
          OpenAI SDK base URL
        </span>
        <output aria-labelledby={`${id}-base`}>
          <code>{baseUrl}</code>
        </output>
        <CopyButton text={baseUrl} what="the base URL" />
      </div>
      <Tabs id={id} label="Language" tabs={samples} current={sample.id} onChoose={onTab} />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${sample.id}`} className="sample">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre onCopy={copySelection} tabIndex={0}>
          <code>
            <Tinted text={sample.write({ ...facts, key: visible })} words={[visible, facts.model]} />
          </code>
        </pre>
        <div className="under">
          <span className="hint">
            {sample.note}
            {visible !== key && ' The copy has the whole key.'}
          </span>
          <CopyButton text={real} what={`the ${sample.label} code`} onCopied={() => setTaken(true)} />
        </div>
      </div>
    </Step>
  );
}
