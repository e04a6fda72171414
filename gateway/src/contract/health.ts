/** What this is (`/`), whether the process is alive (`/health`) and whether it should get traffic (`/ready`). */
import { type Static, Type } from 'typebox';

export const Welcome = Type.Object(
  {
    name: Type.Literal('tollgate', { description: 'Always `tollgate`.' }),
    version: Type.String({ description: 'The version of the gateway.' }),
    about: Type.String({ description: 'What this server is.' }),
    openai_base_url: Type.String({ description: 'The base URL of OpenAI clients.' }),
    anthropic_base_url: Type.String({ description: 'The base URL of Anthropic clients, which has no /v1.' }),
    console_url: Type.String({ description: 'Where people sign in with a browser.' }),
    docs_url: Type.String({ description: 'The API as a page.' }),
    openapi_url: Type.String({ description: 'The API as an OpenAPI document.' }),
  },
  { description: 'What this server is, and where to go.' },
);
export type Welcome = Static<typeof Welcome>;

export const Health = Type.Object(
  {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    version: Type.String({ description: 'The version of the gateway.' }),
  },
  { description: 'The process is alive.' },
);
export type Health = Static<typeof Health>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')], {
      description: 'Whether the process should get traffic.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it should not.' })),
  },
  { description: 'Whether the process should get traffic.' },
);
export type Readiness = Static<typeof Readiness>;
