/** The names of endpoints in the list of requests. A recorded call and a rejected request name theirs differently. */
import type { EndpointName } from '../../contract/endpoints.ts';

const routeNames: Readonly<Record<string, readonly EndpointName[]>> = {
  chat: ['createChatCompletion'],
  responses: ['createResponse'],
  messages: ['createMessage'],
  embeddings: ['createEmbedding'],
  images: ['createImage', 'editImage'],
  video: ['createVideo'],
};

/** The names under which rejected requests of an endpoint are stored. */
export function routesOf(endpoint: string): readonly string[] {
  return [endpoint, ...(Object.hasOwn(routeNames, endpoint) ? (routeNames[endpoint] ?? []) : [])];
}

/** The name that is shown: that of calls where there is one. */
export function shownRequestEndpoint(stored: string): string {
  const known = Object.entries(routeNames).find(([, routes]) =>
    (routes as readonly string[]).includes(stored),
  );
  return known?.[0] ?? stored;
}
