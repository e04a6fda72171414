/** From a key in hand to a first call that works. */
import { useState } from 'react';
import { canChat } from '../../api/list-models.ts';
import { Page } from '../../parts/page.tsx';
import icon from '../../style/icon.svg';
import './connect.css';
import { CodeStep } from './code-step.tsx';
import { KeyStep } from './key-step.tsx';
import { ModelStep } from './model-step.tsx';
import { TryStep } from './try-step.tsx';
import { useAddressChoice } from './use-address-choice.ts';
import { useModels } from './use-models.ts';

/** In the console of somebody who is signed in. */
export function ConnectPage() {
  return (
    <Page
      title="Connect"
      intro="Paste your key, choose a model, take the code with you, or try it right here."
    >
      <ConnectSteps />
    </Page>
  );
}

/** For people who have a key and no account. */
export function OpenConnectPage() {
  return (
    <>
      <header className="top">
        <img src={icon} alt="" width="28" height="28" />
        <span className="brand">Tollgate</span>
        <span className="host">{location.host}</span>
      </header>
      <main>
        <ConnectPage />
      </main>
    </>
  );
}

function ConnectSteps() {
  const connection = useModels();
  const [keyShown, setKeyShown] = useState(false);
  const [code, chooseCode] = useAddressChoice('model');
  const [tab, chooseTab] = useAddressChoice('code');
  const { key, models } = connection;
  const usable = models.phase === 'ready' ? models.models.filter(canChat) : [];
  const chosen = usable.find((model) => model.id === code) ?? usable[0] ?? null;
  const apiKey = models.phase === 'failed' ? '' : key;

  return (
    <div className="connect">
      <div className="column">
        <KeyStep connection={connection} shown={keyShown} onShow={setKeyShown} />
        <ModelStep models={models} chosen={chosen} onChoose={chooseCode} />
      </div>
      <div className="column">
        <CodeStep
          apiKey={apiKey}
          keyShown={keyShown}
          model={chosen?.id ?? null}
          tab={tab}
          onTab={chooseTab}
        />
        <TryStep apiKey={apiKey} model={chosen} />
      </div>
    </div>
  );
}
