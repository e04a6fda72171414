/** From a key in hand to a first call that works. */
import { useState } from 'react';
import { canChat } from '../../api/list-models.ts';
import { Page } from '../../parts/page.tsx';
import icon from '../../style/icon.svg';
import { useTexts } from '../../text/say.ts';
import { useModels } from '../../topics/gateway-key/use-models.ts';
import './connect.css';
import { CodeStep } from './code-step.tsx';
import { FirstCallOfKey, FirstCallOfTrial } from './first-call.tsx';
import { KeyStep } from './key-step.tsx';
import { ModelStep } from './model-step.tsx';
import { connectTexts } from './texts.ts';
import { TryStep } from './try-step.tsx';
import { useTrial } from './use-trial.ts';

/** In the console of somebody who is signed in. */
export function ConnectPage() {
  const t = useTexts(connectTexts);
  return (
    <Page title={t('title')} intro={t('intro')}>
      <ConnectSteps signedIn />
    </Page>
  );
}

/** For people who have a key and no account. */
export function OpenConnectPage() {
  const t = useTexts(connectTexts);
  return (
    <>
      <header className="connect-top">
        <img src={icon} alt="" width="28" height="28" />
        <span className="brand">Tollgate</span>
        <span className="host">{location.host}</span>
      </header>
      <main>
        <Page title={t('title')} intro={t('intro')}>
          <ConnectSteps signedIn={false} />
        </Page>
      </main>
    </>
  );
}

function ConnectSteps({ signedIn }: { signedIn: boolean }) {
  const connection = useModels();
  const trying = useTrial();
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
        <KeyStep connection={connection} shown={keyShown} signedIn={signedIn} onShow={setKeyShown} />
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
        <TryStep apiKey={apiKey} model={chosen} trying={trying} />
        {signedIn ? (
          <FirstCallOfKey apiKey={models.phase === 'ready' ? key : ''} trial={trying.trial} />
        ) : (
          <FirstCallOfTrial connected={models.phase === 'ready'} trial={trying.trial} />
        )}
      </div>
    </div>
  );
}

/** A choice that stands in the address, so that a reload or a shared link keeps it. Never for secrets. */
function useAddressChoice(name: string): [string | null, (value: string) => void] {
  const [value, setValue] = useState(() => new URLSearchParams(location.search).get(name));
  const choose = (chosen: string): void => {
    const address = new URL(location.href);
    address.searchParams.set(name, chosen);
    history.replaceState(null, '', address);
    setValue(chosen);
  };
  return [value, choose];
}
