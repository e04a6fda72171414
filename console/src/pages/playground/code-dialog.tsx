import { useId, useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useTexts } from '../../text/say.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';
import { type CodeLanguage, codeLanguages, codeNeeds, writeCode } from './write-code.ts';
import type { PlayRequest } from './write-request.ts';

/** The requests that Send would send, as code. */
export function CodeDialog({ requests, onClose }: { requests: readonly PlayRequest[]; onClose(): void }) {
  const t = useTexts(playgroundTexts);
  const id = useId();
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const [place, setPlace] = useState('0');
  const request = requests[Number(place)] ?? (requests[0] as PlayRequest);
  const code = writeCode(language, request, location.origin);
  const needs = codeNeeds(language, request.mode);
  return (
    <Dialog title={t('code')} side onClose={onClose}>
      {requests.length > 1 && (
        <Choice
          label={t('codeOf')}
          value={place}
          values={requests.map((_, i) => String(i))}
          labelOf={(i) => String(requests[Number(i)]?.body.model)}
          onChoose={setPlace}
        />
      )}
      <Tabs
        id={id}
        label={t('language')}
        tabs={codeLanguages}
        current={language}
        onChoose={(chosen) => setLanguage(chosen as CodeLanguage)}
      />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${language}`} className={style.code}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>
          <code>{code}</code>
        </pre>
        <div className={style.codeFoot}>
          <span className="hint">
            {needs !== null && <>{t('codeNeeds', { command: needs })} </>}
            {t('codeNote')}
          </span>
          <CopyButton text={code} what={t('copyCode')} />
        </div>
      </div>
    </Dialog>
  );
}
