import { useId, useState } from 'react';
import {
  type FilledFacts,
  openaiBaseUrl,
  type Sample,
  samples,
} from '../../../../gateway/src/contract/samples.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useTexts } from '../../text/say.ts';
import { maskKey } from '../../topics/gateway-key/session-key.ts';
import { AgentCode, agentOf } from './agent-code.tsx';
import { CodeBlock } from './code-block.tsx';
import { Step } from './step.tsx';
import { connectTexts } from './texts.ts';

interface CodeStepProps {
  readonly apiKey: string;
  readonly keyShown: boolean;
  readonly model: string | null;
  readonly tab: string | null;
  onTab(tab: string): void;
}

const AGENTS = 'agents';
const notes = {
  curl: 'curlNote',
  python: 'pythonNote',
  typescript: 'typescriptNote',
  anthropic: 'anthropicNote',
  env: 'envNote',
} as const;

export function CodeStep({ apiKey, keyShown, model, tab, onTab }: CodeStepProps) {
  const t = useTexts(connectTexts);
  const id = useId();
  const [taken, setTaken] = useState(false);
  const { origin } = location;
  const sample = samples.find((known) => known.id === tab) ?? (samples[0] as Sample);
  const agent = agentOf(tab);
  const current = agent === null && tab !== AGENTS ? sample.id : AGENTS;
  const key = apiKey === '' ? 'YOUR_KEY' : apiKey;
  const visible = apiKey === '' || keyShown ? key : maskKey(apiKey);
  const facts = { origin, model: model ?? 'MODEL' };
  const block = (write: (facts: FilledFacts) => string, note: string, what: string) => (
    <CodeBlock
      key={what}
      shown={write({ ...facts, key: visible })}
      real={write({ ...facts, key })}
      hidden={visible === key ? null : { visible, key }}
      words={[visible, facts.model]}
      note={note}
      what={what}
      onCopied={() => setTaken(true)}
    />
  );

  return (
    <Step number={3} title={t('codeTitle')} done={taken}>
      <BaseUrl name={t('openaiBase')} url={openaiBaseUrl(origin)} what={t('copyBase')} />
      <BaseUrl name={t('anthropicBase')} url={origin} what={t('copyAnthropicBase')} />
      <Tabs
        id={id}
        label={t('language')}
        tabs={[...samples, { id: AGENTS, label: t('agents') }]}
        current={current}
        onChoose={onTab}
      />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${current}`} className="samples">
        {current === AGENTS ? (
          <AgentCode agent={agent} onChoose={onTab} block={block} />
        ) : (
          block(
            sample.write,
            t(notes[sample.id as keyof typeof notes]),
            t('copyCode', { label: sample.label }),
          )
        )}
      </div>
    </Step>
  );
}

function BaseUrl({ name, url, what }: { name: string; url: string; what: string }) {
  const id = useId();
  return (
    <div className="box">
      <span className="name" id={id}>
        {name}
      </span>
      <output aria-labelledby={id}>
        <code>{url}</code>
      </output>
      <CopyButton text={url} what={what} />
    </div>
  );
}
