/** The shape of a generateContent request. */
import { fields, listOf, type Shape } from './shapes.ts';

const SCHEMA_FIELDS =
  'format title description nullable enum maxItems minItems required minProperties maxProperties ' +
  'minLength maxLength pattern example propertyOrdering default minimum maximum';

/** Google's own part of OpenAPI; JSON Schema proper goes into the fields that are named for it. */
const schema: Shape = {
  fields: () => ({
    ...Object.fromEntries(SCHEMA_FIELDS.split(' ').map((name) => [name, 'any' as const])),
    type: 'single',
    properties: { mapOf: schema },
    items: schema,
    anyOf: listOf(schema),
  }),
};

const part = fields(
  'text thought thoughtSignature executableCode codeExecutionResult videoMetadata mediaResolution',
  {
    inlineData: fields('mimeType data'),
    fileData: fields('mimeType fileUri'),
    functionCall: fields('id name args'),
    functionResponse: fields('id name response willContinue scheduling', {
      parts: listOf(fields('', { inlineData: fields('mimeType data displayName') })),
    }),
  },
);

const content = fields('role', { parts: listOf(part) });

const tool = fields(
  'googleSearch googleSearchRetrieval codeExecution urlContext fileSearch googleMaps computerUse',
  {
    functionDeclarations: listOf(
      fields('name description behavior parametersJsonSchema responseJsonSchema', {
        parameters: schema,
        response: schema,
      }),
    ),
  },
);

const generationConfig = fields(
  'temperature topP topK maxOutputTokens stopSequences candidateCount responseMimeType responseJsonSchema seed ' +
    'presencePenalty frequencyPenalty responseLogprobs logprobs responseModalities speechConfig ' +
    'mediaResolution enableEnhancedCivicAnswers',
  {
    responseSchema: schema,
    imageConfig: fields('aspectRatio imageSize'),
    thinkingConfig: fields('includeThoughts thinkingBudget thinkingLevel'),
  },
);

export const generateShape: Shape = fields('model cachedContent serviceTier', {
  contents: listOf(content),
  systemInstruction: content,
  tools: listOf(tool),
  toolConfig: fields('retrievalConfig includeServerSideToolInvocations', {
    functionCallingConfig: fields('mode allowedFunctionNames streamFunctionCallArguments'),
  }),
  safetySettings: listOf(fields('category threshold')),
  generationConfig,
});

export const countShape: Shape = fields('model', {
  contents: listOf(content),
  generateContentRequest: generateShape,
});

export const embedShape: Shape = fields('model taskType title outputDimensionality', { content });

export const batchEmbedShape: Shape = fields('model', { requests: listOf(embedShape) });
