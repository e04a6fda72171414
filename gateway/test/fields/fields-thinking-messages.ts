/** How much a model should think, in the messages format. */
import type { FieldCases } from './field-case.ts';
import { messagesLoop, messagesTool } from './samples.ts';

const tools = [messagesTool('look')];
const adaptive = { thinking: { type: 'adaptive' } };

export const messagesThinking: FieldCases = {
  'thinking: adaptive': {
    said: adaptive,
    becomes: {
      'gpt-5.6': 'omitted',
      'deepseek-v4-pro': { 'thinking.type': 'enabled' },
      'claude-sonnet-4-5': { thinking: { type: 'enabled', budget_tokens: 2000 } },
      else: { 'generationConfig.thinkingConfig.includeThoughts': true },
    },
  },
  'thinking: disabled': {
    said: { thinking: { type: 'disabled' } },
    becomes: {
      'gpt-5.6': { reasoning_effort: 'none' },
      'gemini-2.5-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 128 },
      },
      'gemini-3.1-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: false, thinkingLevel: 'LOW' },
      },
      'deepseek-v4-pro': 'thinking.type',
      'claude-opus-5-5': {
        thinking: { type: 'adaptive', display: 'omitted' },
        'output_config.effort': 'low',
      },
    },
  },
  'thinking: adaptive, small cap': {
    beside: { max_tokens: 500 },
    said: adaptive,
    becomes: {
      'gpt-5.6': 'omitted',
      'deepseek-v4-pro': { 'thinking.type': 'enabled' },
      'claude-sonnet-4-5': 'omitted',
      else: { 'generationConfig.thinkingConfig.includeThoughts': true },
    },
  },
  'thinking: adaptive, required tool': {
    beside: { tools: tools, tool_choice: { type: 'any' } },
    said: adaptive,
    becomes: {
      'gpt-5.6': { 'reasoning.summary': 'auto' },
      'deepseek-v4-pro': 'omitted',
      'claude-sonnet-4-5': { thinking: { type: 'enabled', budget_tokens: 2000 } },
      else: { 'generationConfig.thinkingConfig.includeThoughts': true },
    },
  },
  'thinking: adaptive, tool loop': {
    beside: { tools: tools, messages: messagesLoop() },
    said: adaptive,
    becomes: {
      'gpt-5.6': { 'reasoning.summary': 'auto' },
      'deepseek-v4-pro': 'omitted',
      'claude-sonnet-4-5': 'omitted',
      else: { 'generationConfig.thinkingConfig.includeThoughts': true },
    },
  },
  'thinking: enabled, temperature': {
    beside: { temperature: 0.5 },
    said: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    becomes: {
      'gpt-5.6': { reasoning_effort: 'low' },
      'gemini-2.5-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 2000 },
      },
      'gemini-3.1-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'LOW' },
      },
      'deepseek-v4-pro': { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      'claude-sonnet-4-5': { temperature: '(gone)', thinking: { type: 'enabled', budget_tokens: 2000 } },
      'claude-opus-4-8': {
        thinking: { type: 'adaptive', display: 'summarized' },
        'output_config.effort': 'low',
      },
      'claude-opus-5-5': {
        thinking: { type: 'adaptive', display: 'summarized' },
        'output_config.effort': 'low',
      },
    },
  },
  'output_config.effort': {
    said: { output_config: { effort: 'high' } },
    becomes: {
      'gpt-5.6': 'reasoning_effort',
      'gemini-2.5-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 24576 },
      },
      'gemini-3.1-pro': {
        'generationConfig.thinkingConfig': { includeThoughts: false, thinkingLevel: 'HIGH' },
      },
      'deepseek-v4-pro': { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      'claude-sonnet-4-5': 'omitted',
    },
  },
};
