/** The kinds of calls that the playground makes, and which of them a model can do. Pure. */
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import {
  callKinds,
  type Paid,
  type PlayMode,
  paidEndpoints,
} from '../../../../gateway/src/contract/paid-endpoints.ts';

/** The most models side by side. */
export const MODELS_MAX = 4;

const endpointOf = new Map(
  paidEndpoints.flatMap((endpoint) => (endpoint.mode === null ? [] : [[endpoint.mode, endpoint] as const])),
);

export function pathOf(mode: PlayMode): string {
  return (endpointOf.get(mode) as Paid).path;
}

export function modesOf(model: ModelObject): PlayMode[] {
  return [...endpointOf.keys()].filter((mode) => canDo(model, mode));
}

export function canDo(model: ModelObject, mode: PlayMode): boolean {
  return model.endpoints.includes(pathOf(mode));
}

/** The mode of a recorded call; null for one that the playground does not make. */
export function modeOfEndpoint(kind: string): PlayMode | null {
  return paidEndpoints.find((endpoint) => endpoint.kind === kind && endpoint.mode !== null)?.mode ?? null;
}

export function isText(mode: PlayMode): boolean {
  return callKinds[(endpointOf.get(mode) as Paid).kind].makes === 'text';
}
