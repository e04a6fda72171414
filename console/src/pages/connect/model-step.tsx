import { useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { ModelRow } from './model-row.tsx';
import { Step } from './step.tsx';
import type { ModelsState } from './use-models.ts';

interface ModelStepProps {
  readonly models: ModelsState;
  readonly chosen: ModelObject | null;
  onChoose(code: string): void;
}

/** A shorter list is taken in at a glance. */
const FILTER_FROM = 7;

export function ModelStep({ models, chosen, onChoose }: ModelStepProps) {
  const [wanted, setWanted] = useState('');
  const all = models.phase === 'ready' ? models.models : [];
  const words = wanted.toLowerCase().split(/\s+/);
  const listed = all.filter((model) => words.every((word) => described(model).includes(word)));

  return (
    <Step
      number={2}
      title="A model"
      done={chosen !== null}
      aside={all.length > 0 && <span className="aside">units per million tokens</span>}
    >
      {all.length === 0 && <p className="empty">{emptyText(models)}</p>}
      {all.length >= FILTER_FROM && (
        <input
          type="search"
          aria-label="Filter the models"
          placeholder="Filter by code or capability"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      {all.length > 0 && (
        <fieldset className="models">
          <legend className="heard">Model</legend>
          <div className="columns" aria-hidden="true">
            <span>Model</span>
            <span>Input</span>
            <span>Output</span>
          </div>
          <div className="rows">
            {listed.map((model) => (
              <ModelRow
                key={model.id}
                model={model}
                chosen={model.id === chosen?.id}
                onChoose={() => onChoose(model.id)}
              />
            ))}
          </div>
          {listed.length === 0 && <p className="empty">No model fits “{wanted}”.</p>}
        </fieldset>
      )}
    </Step>
  );
}

function emptyText(models: ModelsState): string {
  if (models.phase === 'asking') return 'Asking the gateway …';
  if (models.phase === 'ready') return 'This space sees no models yet. Add one to tollgate.yaml.';
  return 'Once you are connected, the models of your space are listed here with their prices.';
}

function described({ id, capabilities }: ModelObject): string {
  return [id, ...capabilities, ...capabilities.map((name) => name.replace('_', ' '))].join(' ').toLowerCase();
}
