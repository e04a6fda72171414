/** What a source says that a model takes in a request, compared with what the catalogue says. Pure. */
import type { Effort, ModelTraits } from '../catalog/model-traits.ts';
import type { SourceTakes } from './sources/source-model.ts';

/** Sentences for people; nothing follows from them by itself. */
export function compareTakes(said: SourceTakes | undefined, takes: ModelTraits): string[] {
  if (said === undefined || !takes.known) return [];
  const { adaptiveThinking, sampling, prefill, efforts = {} } = said;
  return [
    ...differs(adaptiveThinking, takes.thinking === 'adaptive', 'adaptive thinking'),
    ...differs(sampling, takes.sampling !== 'never', 'a temperature'),
    ...differs(prefill, takes.prefill, 'an assistant message at the end'),
    ...(Object.entries(efforts) as Array<[Effort, boolean]>).flatMap(([effort, source]) =>
      differs(source, hasEffort(effort, takes), `the effort ${effort}`),
    ),
  ];
}

function hasEffort(effort: Effort, { efforts, thinkingOff }: ModelTraits): boolean {
  return effort === 'none' ? thinkingOff === 'yes' : efforts.includes(effort);
}

function differs(source: boolean | undefined, ours: boolean, what: string): string[] {
  if (source === undefined || source === ours) return [];
  const [theirs, own] = source ? ['takes', 'does not take'] : ['does not take', 'takes'];
  return [`the source says that it ${theirs} ${what}; here it ${own} it (takes)`];
}
