/** A conversation with one model or several, with everything that a call can say and what it took. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Explanation } from '../../../../gateway/src/contract/explanation.ts';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSaid, useTexts } from '../../text/say.ts';
import { KeyBar } from '../../topics/gateway-key/key-bar.tsx';
import { useSessionKey } from '../../topics/gateway-key/use-session-key.ts';
import { checkSettings } from './check-settings.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { modeCalls } from './mode-calls.ts';
import { ModelPicker } from './model-picker.tsx';
import { isText, modeOfEndpoint, modesOf } from './modes.ts';
import style from './playground.module.css';
import { ReopenedNote } from './reopened-note.tsx';
import { RunColumn } from './run-column.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { playgroundTexts } from './texts.ts';
import { TurnView } from './turn-view.tsx';
import { pastOf, useConversation } from './use-conversation.ts';
import { usePlayground } from './use-playground.ts';
import { writeRequest } from './write-request.ts';

export function PlaygroundPage() {
  const t = useTexts(playgroundTexts);
  const space = useSpace();
  const [search] = useSearchState();
  const list = useRead('models.list', { space });
  const request = search.request ?? '';
  const record = useRead('requests.get', { space, request }, { enabled: request !== '' });
  const models = (list.data?.data ?? []).filter((model) => modesOf(model).length > 0);
  const explanation = request === '' ? null : (record.data ?? null);
  const ready = list.isSuccess && (request === '' || record.isSuccess || record.isError);
  return (
    <Page title={t('title')} intro={t('intro')}>
      <ThrownNote error={list.error ?? (request === '' ? null : record.error)} />
      {ready && models.length === 0 && <Empty title={t('noModels')} text={t('noModelsText')} />}
      {ready && models.length > 0 && <Bench models={models} explanation={explanation} />}
    </Page>
  );
}

function Bench({ models, explanation }: { models: readonly ModelObject[]; explanation: Explanation | null }) {
  const t = useTexts(playgroundTexts);
  const say = useSaid();
  const id = useId();
  const [key, setKey] = useSessionKey();
  const call = explanation?.call ?? null;
  const recorded = call && { model: call.model, mode: modeOfEndpoint(call.endpoint) };
  const playground = usePlayground(models, recorded);
  const { mode, chosen, fields } = playground;
  const [prompt, setPrompt] = useState(() => t('firstPrompt'));
  const [system, setSystem] = useState('');
  const [codeOpen, setCodeOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { turns, kind: talkedOf, busy, send, stop, clear } = useConversation();
  const talks = isText(mode);
  const kind = [mode, ...chosen.map((model) => model.id)].join(' ');
  const continues = talks && talkedOf === kind;
  const { errors, values } = checkSettings(mode, fields, t);
  const settings = { ...values, prompt, system };
  const requests = chosen.map((model, place) =>
    writeRequest(
      mode,
      { id: model.id, streams: model.capabilities.includes('streaming') && call?.streamed !== false },
      { ...settings, history: continues ? pastOf(turns, place) : [] },
    ),
  );
  const ready = key !== '' && Object.keys(errors).length === 0;
  const typed = prompt.trim() !== '';
  const start = (): void => {
    playground.keep();
    if (!typed) field.current?.focus();
    if (!typed || !ready || busy) return;
    send({ key, kind, prompt, requests, continues });
    if (talks) setPrompt('');
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && busy) stop();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
  };
  const restart = (): void => {
    clear();
    field.current?.focus();
  };
  const changed = turns.length > 0 && talks && !continues;
  const last = turns.at(-1);
  const unanswered = last?.runs.every(({ phase }) => phase === 'failed') ? last.prompt : null;
  // What nobody answered is offered again.
  useEffect(() => {
    if (unanswered !== null) setPrompt((now) => (now === '' ? unanswered : now));
  }, [unanswered]);

  return (
    <>
      {explanation !== null && <ReopenedNote explanation={explanation} onForget={playground.forgetRequest} />}
      <KeyBar apiKey={key} purpose="playground" create={t('createKey')} onKey={setKey} />
      <ModelPicker models={models} playground={playground} />
      <Tabs
        id={id}
        label={t('mode')}
        tabs={playground.modes.map((one) => ({ id: one, label: say(modeCalls[one].name) }))}
        current={mode}
        onChoose={(chosenMode) => playground.chooseMode(chosenMode as PlayMode)}
      />
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${mode}`}
        className={style.bench}
        onKeyDown={press}
      >
        <SettingsPanel playground={playground} errors={errors} system={system} onSystem={setSystem} />
        <div className="stack near">
          {turns.map((turn, i) => (
            <TurnView
              // biome-ignore lint/suspicious/noArrayIndexKey: turns only ever follow one another
              key={i}
              turn={turn}
              number={i + 1}
              isLast={i === turns.length - 1}
              showsPrompt={talkedOf !== kind || talks}
            />
          ))}
          {turns.length === 0 && (
            <div className={style.columns} data-many={chosen.length > 1}>
              {chosen.map((model, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same model may be there twice
                <RunColumn key={place} model={model.id} run={null} />
              ))}
            </div>
          )}
          <Composer
            label={continues ? 'nextMessage' : modeCalls[mode].prompt}
            hint={key === '' ? 'needKey' : changed ? 'changedKind' : 'keyboard'}
            prompt={prompt}
            field={field}
            busy={busy}
            disabled={!ready}
            onPrompt={setPrompt}
            onSend={start}
            onStop={stop}
            onCode={() => setCodeOpen(true)}
            onNew={continues ? restart : null}
          />
        </div>
      </div>
      {codeOpen && (
        // With nothing typed it is what was sent last.
        <CodeDialog
          requests={typed ? requests : (last?.requests ?? requests)}
          onClose={() => setCodeOpen(false)}
        />
      )}
    </>
  );
}
