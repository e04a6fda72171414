/** The entry `api` of `tollgate.yaml`: which endpoints are offered beyond the specification. */
import { Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { apiDefaults } from './config-defaults.ts';

export const ApiEntry = Type.Object(
  {
    file_lists: Type.Optional(
      Type.Boolean(
        about(
          'True: keys list their files (`GET /v1/files`) and delete them (`DELETE /v1/files/{id}`). False: the id of a ' +
            'file is the only way to it, and it is deleted when it expires.',
          { default: apiDefaults.file_lists, example: true },
        ),
      ),
    ),
  },
  { ...closed, ...about('Endpoints that an installation may add.') },
);
