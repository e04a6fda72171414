import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE } from './places.ts';

export const aliasesDocs: TagDocs = {
  tag: 'Aliases',
  description: 'Other names for models, such as `fast`, which callers of a space send as `model`.',
  operations: {
    'aliases.list': {
      description:
        'An alias of the space takes precedence over one of the configuration. A model with the name of an alias takes precedence over both.',
      examples: [
        {
          title: 'All aliases',
          path: demo,
          after: ['aliases.set'],
          answer: {
            data: [{ name: 'fast', model: 'sim-chat', source: 'space', works: true }],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'aliases.set': {
      description:
        'Calls that begin after the change use the new model, within a second in every process. They are charged and recorded as that model. A space has at most 100 aliases.',
      examples: [
        {
          title: 'A name for a model',
          path: { ...demo, alias: 'fast' },
          body: { model: 'sim-chat' },
          answer: { name: 'fast', model: 'sim-chat' },
        },
      ],
      errors: {
        conflict: {
          detail: 'There is already a model sim-chat in demo. Choose another name for the alias.',
          param: 'alias',
          provoke: { path: { ...demo, alias: 'sim-chat' }, body: { model: 'sim-chat' } },
        },
        invalid_parameter: {
          detail: 'There is no model sim-chta in demo. Did you mean sim-chat?',
          param: 'model',
          provoke: { body: { model: 'sim-chta' } },
        },
      },
    },
    'aliases.remove': {
      description: 'If the configuration has an alias of the same name, that one is used from then on.',
      examples: [
        {
          title: 'Remove an alias',
          path: { ...demo, alias: new ExampleResult('aliases.set', 'name') },
          answer: { name: 'fast', removed: true },
        },
      ],
    },
  },
};
