import { useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { type Say, useTexts } from '../../text/say.ts';
import type { ModelsState } from '../../topics/gateway-key/use-models.ts';
import { ModelRow } from './model-row.tsx';
import { Step } from './step.tsx';
import { connectTexts } from './texts.ts';

type Text = keyof (typeof connectTexts)['catalogues']['en'];

interface ModelStepProps {
  readonly models: ModelsState;
  readonly chosen: ModelObject | null;
  onChoose(code: string): void;
}

/** A shorter list is taken in at a glance. */
const FILTER_FROM = 7;

export function ModelStep({ models, chosen, onChoose }: ModelStepProps) {
  const t = useTexts(connectTexts);
  const [wanted, setWanted] = useState('');
  const all = models.phase === 'ready' ? models.models : [];
  const words = wanted.toLowerCase().split(/\s+/);
  const listed = all.filter((model) => words.every((word) => described(model).includes(word)));

  return (
    <Step
      number={2}
      title={t('modelTitle')}
      done={chosen !== null}
      aside={all.length > 0 && <span className="aside">{t('perMillion')}</span>}
    >
      {all.length === 0 && <p className="empty">{emptyText(models, t)}</p>}
      {all.length >= FILTER_FROM && (
        <input
          type="search"
          aria-label={t('filterModels')}
          placeholder={t('filterHint')}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      {all.length > 0 && (
        <fieldset className="models">
          <legend className="heard">{t('model')}</legend>
          <div className="columns" aria-hidden="true">
            <span>{t('model')}</span>
            <span>{t('input')}</span>
            <span>{t('output')}</span>
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
          {listed.length === 0 && <p className="empty">{t('noFit', { wanted })}</p>}
        </fieldset>
      )}
    </Step>
  );
}

function emptyText(models: ModelsState, t: Say<Text>): string {
  if (models.phase === 'asking') return t('asking');
  return t(models.phase === 'ready' ? 'noModels' : 'modelsLater');
}

function described({ id, capabilities }: ModelObject): string {
  return [id, ...capabilities, ...capabilities.map((name) => name.replace('_', ' '))].join(' ').toLowerCase();
}
