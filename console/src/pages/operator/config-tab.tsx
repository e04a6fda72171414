/** The configuration in effect, without secrets, and what runs. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useRead } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Card, Figure, Figures } from '../../parts/page.tsx';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import { configTexts } from './access-texts.ts';
import style from './operator.module.css';

type Config = ResultOf<'installation.config'>;

export function ConfigTab() {
  const t = useTexts(configTexts);
  const config = useRead('installation.config', {});
  const version = useRead('installation.version', {});
  return (
    <div className="stack loose">
      <ThrownNote error={config.error ?? version.error} />
      {version.data !== undefined && (
        <Card title={t('running')}>
          <Figures>
            <Figure name={t('version')}>{version.data.version}</Figure>
            <Figure name={t('node')}>{version.data.node}</Figure>
          </Figures>
        </Card>
      )}
      {config.data !== undefined && (
        <>
          <Settings config={config.data} />
          <Providers config={config.data} />
          <Card title={t('limits')}>
            <PlainTable
              caption={t('limits')}
              rows={Object.entries(config.data.limits)}
              rowKey={([name]) => name}
              columns={[
                {
                  key: 'limit',
                  title: t('limit'),
                  cell: ([name]) => <code className="words">{name}</code>,
                },
                {
                  key: 'value',
                  title: t('value'),
                  number: true,
                  cell: ([, value]) => groupDigits(String(value)),
                },
              ]}
            />
          </Card>
        </>
      )}
    </div>
  );
}

function Settings({ config }: { config: Config }) {
  const t = useTexts(configTexts);
  return (
    <Card title={t('config')}>
      <p className="hint">{t('note')}</p>
      <Facts>
        <Fact name={t('file')}>{config.file}</Fact>
        <Fact name={t('demo')}>{t(config.demo ? 'yes' : 'no')}</Fact>
        <Fact name={t('listens')}>{config.listens}</Fact>
        <Fact name={t('publicUrl')}>{config.public_url ?? t('asListens')}</Fact>
        <Fact name={t('dataFolder')}>{config.data_folder}</Fact>
        <Fact name={t('database')}>{config.database}</Fact>
        <Fact name={t('redis')}>{config.redis ?? t('notConfigured')}</Fact>
        <Fact name={t('bucket')}>{config.bucket ?? t('inFolder')}</Fact>
        <Fact name={t('logLevel')}>{config.log_level}</Fact>
        <Fact name={t('prices')} as="code" value={config.price_version} />
        <Fact name={t('models')}>
          <Codes codes={config.models} />
        </Fact>
        {config.unpriced_models.length > 0 && (
          <Fact name={t('unpriced')}>
            <Codes codes={config.unpriced_models} />
            <p className="hint">{t('unpricedNote')}</p>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

function Codes({ codes }: { codes: readonly string[] }) {
  return (
    <span className={style.models}>
      {codes.map((code) => (
        <code key={code}>{code}</code>
      ))}
    </span>
  );
}

function Providers({ config }: { config: Config }) {
  const t = useTexts(configTexts);
  return (
    <Card title={t('providers')}>
      <PlainTable
        caption={t('providers')}
        rows={config.providers}
        rowKey={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t('name'),
            cell: ({ name, simulated }) => (
              <span className="words">
                {name} {simulated && <Badge tone="quiet">{t('simulated')}</Badge>}
              </span>
            ),
          },
          { key: 'dialect', title: t('dialect'), as: 'text', wide: true },
          { key: 'base_url', title: t('address'), as: 'words' },
        ]}
      />
    </Card>
  );
}
