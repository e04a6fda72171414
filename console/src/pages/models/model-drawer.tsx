/** Everything about one model at the side of the list. */
import { SpaceLink } from '../../addresses/space-link.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { useTexts } from '../../text/say.ts';
import type { ModelRowData } from './listed-model.ts';
import { Codes } from './model-columns.tsx';
import { PriceTables } from './price-tables.tsx';
import { modelTexts } from './texts.ts';

export function ModelDrawer({
  id,
  model,
  onClose,
}: {
  id: string;
  model: ModelRowData | null;
  onClose(): void;
}) {
  const t = useTexts(modelTexts);
  return (
    <Dialog side title={id} onClose={onClose} head={<CopyButton text={id} what={t('theCode')} />}>
      <div className="stack loose" data-model={id}>
        {model === null ? (
          <p className="failure">{t('unknownModel', { model: id })}</p>
        ) : (
          <>
            <PriceTables pricing={model.pricing} />
            <ModelFacts model={model} />
            <p className="beside">
              <SpaceLink page="playground" search={{ models: id }} className="button">
                {t('tryIt')}
              </SpaceLink>
              <SpaceLink page="connect" search={{ model: id }} className="button">
                {t('toConnect')}
              </SpaceLink>
              <SpaceLink page="requests" search={{ model: id }} className="button">
                {t('toRequests')}
              </SpaceLink>
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

function ModelFacts({ model }: { model: ModelRowData }) {
  const t = useTexts(modelTexts);
  const facts = [
    { name: t('endpoints'), value: <Codes words={model.endpoints} /> },
    {
      name: t('capabilities'),
      value: model.capabilities.map((one) => t(`can_${one}`)).join(', ') || t('none'),
    },
    { name: t('batch'), value: t(model.supports_batch ? 'takesBatches' : 'takesNoBatches') },
  ];
  return (
    <Facts>
      {facts.map(({ name, value }) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  );
}
