/** The settings of coding agents in docs/agents.md, made from the samples that the console shows. */
import { type AgentSample, agentSamples } from '../src/contract/agent-samples.ts';
import { agentVersions } from '../test/clients/agents/agent-versions.ts';

const BEGIN = '<!-- agents -->\n';
const END = '<!-- /agents -->';
const FACTS = { origin: 'https://gate.example', key: 'sk_YOUR_KEY', model: 'MODEL' };

/** The document with the settings as the code has them. */
export function withAgents(document: string): string {
  const [before, rest] = document.split(BEGIN) as [string, string | undefined];
  const after = rest?.slice(rest.indexOf(END));
  if (!after?.startsWith(END)) throw new Error(`The markers ${BEGIN.trim()} and ${END} are missing.`);
  return `${before}${BEGIN}${agentSamples.map(section).join('\n')}${after}`;
}

function section(sample: AgentSample): string {
  const version = agentVersions[sample.package];
  const about = `Calls \`${sample.endpoint}\`. Tested: \`${sample.package}\` ${version}. ${sample.note}`;
  const blocks = sample.write(FACTS).map(({ file, language, text }) => {
    const place = file === null ? 'In a shell:' : `\`${file}\`:`;
    return `\n${place}\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;
  });
  return `### ${sample.label}\n\n${about}\n${blocks.join('')}`;
}
