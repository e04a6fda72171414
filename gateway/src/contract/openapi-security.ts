/** The credentials of each surface, as the OpenAPI document declares them. */
import type { Endpoint } from './endpoint.ts';

export const securitySchemes = {
  gatewayKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A gateway key (`sk_…`): `Authorization: Bearer sk_…`. Opens everything that calls models.',
  },
  messagesKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A gateway key (`sk_…`) in the header that Anthropic clients use.',
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A management key (`mk_…`): `Authorization: Bearer mk_…`. Reads the usage and balance of its space.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tollgate_session',
    description:
      'The session of a person who signed in with a browser. Over https its name is `__Host-tollgate_session`.',
  },
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The session of a program (`ts_…`), from a sign-in with `"keep": "token"`.',
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An administration token (`at_…`) of a program, for one space or for the installation.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description:
      'The `csrf` value of the session. Writes with the cookie need it; writes with the token do not.',
  },
} as const;

type SchemeName = keyof typeof securitySchemes;

type Ways = Array<Partial<Record<SchemeName, []>>>;

/** Each entry is one way to authenticate; an entry with two schemes needs both. */
export function securityOf({ credential, method }: Endpoint): Ways {
  switch (credential) {
    case 'none':
      return [];
    case 'gateway':
      return [{ gatewayKey: [] }];
    case 'messages':
      return [{ messagesKey: [] }, { gatewayKey: [] }];
    case 'platform':
      return [{ managementKey: [] }];
    case 'organization':
      return [{ managementKey: [] }, { adminToken: [] }];
    case 'session':
      return sessionOf(method);
    case 'administration':
      return [...sessionOf(method), { adminToken: [] }];
  }
}

/** Writes with the cookie also need the CSRF token. */
function sessionOf(method: Endpoint['method']): Ways {
  return [{ sessionCookie: [], ...(method !== 'GET' && { csrfToken: [] as [] }) }, { sessionToken: [] }];
}
