/** The settings of one coding agent at a time. */
import { type ReactNode, useId } from 'react';
import { type AgentSample, agentSamples } from '../../../../gateway/src/contract/agent-samples.ts';
import type { FilledFacts } from '../../../../gateway/src/contract/samples.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { useTexts } from '../../text/say.ts';
import { connectTexts } from './texts.ts';

interface AgentCodeProps {
  /** Null: the first one. */
  readonly agent: AgentSample | null;
  onChoose(agent: string): void;
  /** Shows a text that may have the key in it. */
  block(write: (facts: FilledFacts) => string, note: string, what: string): ReactNode;
}

/** The agent that the address names. */
export function agentOf(tab: string | null): AgentSample | null {
  return agentSamples.find(({ id }) => id === tab) ?? null;
}

const notes = {
  codex: 'codexNote',
  'claude-code': 'claudeNote',
  opencode: 'opencodeNote',
  'qwen-code': 'qwenNote',
  pi: 'piNote',
  copilot: 'copilotNote',
  continue: 'continueNote',
} as const;

/** The files and lines of an agent are the same for all facts. */
const NO_FACTS: FilledFacts = { origin: '', key: '', model: '' };

export function AgentCode({ agent, onChoose, block }: AgentCodeProps) {
  const t = useTexts(connectTexts);
  const id = useId();
  const { id: current, label, write } = agent ?? (agentSamples[0] as AgentSample);
  return (
    <>
      <Tabs id={id} label={t('agent')} tabs={agentSamples} current={current} onChoose={onChoose} />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${current}`} className="samples">
        <p className="hint">{t(notes[current as keyof typeof notes])}</p>
        {write(NO_FACTS).map(({ file }, i) =>
          block(
            (facts) => write(facts)[i]?.text ?? '',
            file === null ? t('inShell') : t('inFile', { file }),
            file === null ? t('copyCommands', { label }) : t('copySettings', { label }),
          ),
        )}
      </div>
    </>
  );
}
