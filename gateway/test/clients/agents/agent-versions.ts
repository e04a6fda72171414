/** The packages of the agents, in the versions that were tested. */
export const agentVersions: Readonly<Record<string, string>> = {
  '@openai/codex': '0.166.0',
  '@anthropic-ai/claude-code': '2.1.325',
  'opencode-ai': '1.18.18',
  '@qwen-code/qwen-code': '0.24.4',
  '@earendil-works/pi-coding-agent': '0.87.1',
  '@github/copilot': '1.0.102',
  '@continuedev/cli': '1.5.47',
};
