/** Tools, turns and media that fields are said about. */
export const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';
export const PDF = 'data:application/pdf;base64,JVBERi0=';

export const chatTool = (name: string, more: object = {}): object => ({
  type: 'function',
  function: { name, parameters, ...more },
});
export const responsesTool = (name: string, more: object = {}): object => ({
  type: 'function',
  ...{ name, parameters },
  ...more,
});
export const messagesTool = (name: string, more: object = {}): object => ({
  ...{ name, input_schema: parameters },
  ...more,
});

/** A conversation with one call of a tool and its result. */
export const chatLoop = (more: { call?: object; result?: object; turn?: object } = {}): object[] => [
  { role: 'user', content: 'Weather?' },
  {
    ...{ role: 'assistant', content: null },
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'look', arguments: '{"city":"Seoul"}' },
        ...more.call,
      },
    ],
    ...more.turn,
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'sunny', ...more.result },
];
export const responsesLoop = (more: { call?: object; result?: object } = {}): object[] => [
  { role: 'user', content: 'Weather?' },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"city":"Seoul"}', ...more.call },
  { type: 'function_call_output', call_id: 'call_1', output: 'sunny', ...more.result },
];
export const messagesLoop = (more: { call?: object; result?: object } = {}): object[] => [
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { city: 'Seoul' }, ...more.call }],
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny', ...more.result }],
  },
];

/** A user's turn with one part, after which the user says nothing. */
export const userPart = (part: object): object[] => [
  { role: 'user', content: [part, { type: 'text', text: 'Look.' }] },
];
export const inputPart = (part: object): object[] => [
  { role: 'user', content: [part, { type: 'input_text', text: 'Look.' }] },
];
/** An earlier answer with one part. */
export const spoken = (content: unknown, more: object = {}): object[] => [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content, ...more },
  { role: 'user', content: 'Go on' },
];
