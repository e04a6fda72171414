/** Administration of aliases: other names for models, which callers send as `model`. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Label, request, shape, text, withUse } from './fields.ts';

const alias = {
  name: text('The name of the alias. Callers send it as `model`.'),
  model: text('The code of the model that answers.'),
};

export const SpaceAlias = shape('An alias of a space.', alias);

export const RemovedAlias = shape('An alias that was removed.', {
  name: alias.name,
  removed: Type.Literal(true, { description: 'Always true.' }),
});

export const ListedAliases = shape('The aliases that callers of a space can use.', {
  data: Type.Array(
    shape('An alias.', {
      ...alias,
      source: Type.Enum(['space', 'configuration'], {
        description: 'Who set it: the space, or the configuration for all spaces.',
      }),
      works: Type.Boolean({
        description:
          'False: the space has no such model any more, or has a model with the name of the alias.',
      }),
    }),
    { description: 'The aliases, ordered by name.' },
  ),
  next_cursor: Type.Null({ description: 'Always null: the list is complete.' }),
});

export const SetAliasRequest = request('The model of an alias.', {
  model: withUse(Label, 'The code of a model of the space.'),
});

const anAlias = `${IN_SPACE}/aliases/{alias}` as const;

export const aliasEndpoints = {
  'aliases.list': {
    ...operation('GET', `${IN_SPACE}/aliases`, 'member'),
    summary: 'List the aliases that callers of a space can use.',
    response: ListedAliases,
  },
  'aliases.set': {
    ...operation('PUT', anAlias, 'admin'),
    summary: 'Add an alias to a space, or point it at another model.',
    request: SetAliasRequest,
    response: SpaceAlias,
    problems: ['conflict'],
  },
  'aliases.remove': {
    ...operation('DELETE', anAlias, 'admin'),
    summary: 'Remove an alias from a space.',
    response: RemovedAlias,
  },
} as const satisfies Record<string, AdminEndpoint>;
