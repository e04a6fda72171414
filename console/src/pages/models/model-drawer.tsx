/** Everything about one model at the side of the list. */
import { SpaceLink } from '../../app/space-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/define-texts.ts';
import type { ModelRowData } from './listed-model.ts';
import { Codes } from './model-columns.tsx';
import { priceRows } from './model-prices.ts';
import style from './models.module.css';
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
      <div className={style.drawer} data-model={id}>
        {model === null ? (
          <p className="failure">{t('unknownModel', { model: id })}</p>
        ) : (
          <>
            <PriceTable pricing={model.pricing} />
            <ModelFacts model={model} />
            <p className={style.places}>
              <SpaceLink page="playground" search={{ model: id }} className="button">
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

function PriceTable({ pricing }: { pricing: ModelRowData['pricing'] }) {
  const t = useTexts(modelTexts);
  if (pricing === null) return <p className="warning">{t('unknownHint')}</p>;
  return (
    <section className={style.part}>
      <h3>{t('prices')}</h3>
      <PlainTable
        caption={t('prices')}
        rows={priceRows(pricing)}
        rowKey={({ kind, choice }) => `${kind} ${choice}`}
        columns={[
          {
            key: 'kind',
            title: t('component'),
            cell: ({ kind, choice, isDefault }) => (
              <>
                {t(kind)} {choice !== '' && (choice ?? t('otherChoice'))}{' '}
                {isDefault && <Badge tone="quiet">{t('default')}</Badge>}
              </>
            ),
          },
          {
            key: 'price',
            title: t('units'),
            number: true,
            cell: ({ price }) => <UnitAmount value={price} />,
          },
          {
            key: 'per',
            title: t('per'),
            cell: ({ kind }) =>
              t(kind === 'per_image' ? 'anImage' : kind === 'per_second' ? 'aSecond' : 'millionTokens'),
          },
        ]}
      />
    </section>
  );
}

function ModelFacts({ model }: { model: ModelRowData }) {
  const t = useTexts(modelTexts);
  const p = useTexts(partsTexts);
  const facts = [
    { name: t('endpoints'), value: <Codes words={model.endpoints} /> },
    {
      name: t('capabilities'),
      value: model.capabilities.map((one) => t(`can_${one}`)).join(', ') || p('none'),
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
