/** How much a model should think, in each format, and with what else the call asks for. */
import type { Format } from '../matrix/ask.ts';
import type { FieldCases } from './field-case.ts';
import { messagesThinking } from './fields-thinking-messages.ts';
import { chatLoop, chatTool, responsesLoop, responsesTool } from './samples.ts';

const chatTools = [chatTool('look')];
const responsesTools = [responsesTool('look')];
const effort = { reasoning: { effort: 'high', summary: 'auto' } };

export const thinkingFields = {
  chat: {
    'an effort': {
      said: { reasoning_effort: 'high' },
      becomes: {
        'claude-sonnet-4-5': { max_tokens: 20480, thinking: { type: 'enabled', budget_tokens: 16384 } },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
      },
    },
    'the effort none': {
      said: { reasoning_effort: 'none' },
      becomes: {
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'omitted' },
          'output_config.effort': 'low',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 128 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: false, thinkingLevel: 'LOW' },
        },
        'deepseek-v4-pro': { 'thinking.type': 'disabled' },
        else: { 'thinking.type': 'disabled' },
      },
    },
    'an effort, small cap': {
      beside: { max_completion_tokens: 500 },
      said: { reasoning_effort: 'high' },
      becomes: {
        'claude-sonnet-4-5': 'omitted',
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        else: { thinking: { type: 'adaptive', display: 'summarized' }, 'output_config.effort': 'high' },
      },
    },
    'an effort, required tool': {
      beside: { tools: chatTools, tool_choice: 'required' },
      said: { reasoning_effort: 'high' },
      param: 'tool_choice',
      becomes: {
        'claude-sonnet-4-5': 'omitted',
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': 'rejected',
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'gpt-5.6': { reasoning: { effort: 'high', summary: 'auto' } },
        'deepseek-v4-pro': 'omitted',
      },
    },
    'an effort, tool loop': {
      beside: { tools: chatTools, messages: chatLoop() },
      said: { reasoning_effort: 'high' },
      becomes: {
        'claude-sonnet-4-5': { max_tokens: 20480 },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'gpt-5.6': { reasoning: { effort: 'high', summary: 'auto' } },
        'deepseek-v4-pro': 'omitted',
      },
    },
    'an effort, temperature': {
      beside: { temperature: 0.5 },
      said: { reasoning_effort: 'high' },
      becomes: {
        'claude-sonnet-4-5': {
          max_tokens: 20480,
          temperature: '(gone)',
          thinking: { type: 'enabled', budget_tokens: 16384 },
        },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
      },
    },
  },
  responses: {
    'an effort': {
      said: effort,
      becomes: {
        'claude-sonnet-4-5': { max_tokens: 20480, thinking: { type: 'enabled', budget_tokens: 16384 } },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'deepseek-v4-pro': { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      },
    },
    'the effort none': {
      said: { reasoning: { effort: 'none' } },
      becomes: {
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'omitted' },
          'output_config.effort': 'low',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 128 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: false, thinkingLevel: 'LOW' },
        },
        else: { 'thinking.type': 'disabled' },
      },
    },
    'an effort, small cap': {
      beside: { max_output_tokens: 500 },
      said: effort,
      becomes: {
        'claude-sonnet-4-5': 'omitted',
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'deepseek-v4-pro': { 'thinking.type': 'enabled', reasoning_effort: 'high' },
        else: { thinking: { type: 'adaptive', display: 'summarized' }, 'output_config.effort': 'high' },
      },
    },
    'an effort, required tool': {
      beside: { tools: responsesTools, tool_choice: 'required' },
      said: effort,
      param: 'tool_choice',
      becomes: {
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': 'rejected',
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        else: 'omitted',
      },
    },
    'an effort, tool loop': {
      beside: { tools: responsesTools, input: responsesLoop() },
      said: effort,
      becomes: {
        'claude-sonnet-4-5': { max_tokens: 20480 },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'deepseek-v4-pro': 'omitted',
      },
    },
    'an effort, temperature': {
      beside: { temperature: 0.5 },
      said: effort,
      becomes: {
        'claude-sonnet-4-5': {
          max_tokens: 20480,
          temperature: '(gone)',
          thinking: { type: 'enabled', budget_tokens: 16384 },
        },
        'claude-opus-4-8': {
          max_tokens: 20480,
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'claude-opus-5-5': {
          thinking: { type: 'adaptive', display: 'summarized' },
          'output_config.effort': 'high',
        },
        'gemini-2.5-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 },
        },
        'gemini-3.1-pro': {
          'generationConfig.thinkingConfig': { includeThoughts: true, thinkingLevel: 'HIGH' },
        },
        'deepseek-v4-pro': { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      },
    },
  },
  messages: messagesThinking,
} satisfies Readonly<Record<Format, FieldCases>>;
