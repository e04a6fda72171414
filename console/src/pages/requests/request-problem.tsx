/** Why a request failed or was rejected, and what to quote when asking for help. */
import { useTexts } from '../../text/define-texts.ts';
import { type Explained, sentenceOf } from './explained.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

export function RequestProblem({ explained }: { explained: Explained }) {
  const t = useTexts(requestTexts);
  const { ref, refusal, call } = explained;
  const code = refusal?.type ?? call?.problem ?? null;
  if (code === null) return null;
  const facts = Object.entries(refusal?.facts ?? {}).filter(([name]) => name !== 'key_id');
  return (
    <section className="failure">
      <h3 className={style.code}>
        <code>{code}</code>
        {refusal !== null && <span className="small">HTTP {refusal.status}</span>}
      </h3>
      <p>{sentenceOf(explained)}</p>
      {refusal?.param != null && (
        <p className="small">
          {t('field')} <code>{refusal.param}</code>
        </p>
      )}
      {facts.length > 0 && (
        <dl className={`pairs ${style.facts}`}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="small">
        {t('errorRef')} <code>{ref}</code>
      </p>
    </section>
  );
}
