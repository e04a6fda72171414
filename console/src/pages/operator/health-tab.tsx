/** How the installation is doing, read again every few seconds. */
import { Link } from '@tanstack/react-router';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useRead } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Card, Figure, Figures } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { healthTexts } from './texts.ts';

const EVERY_MS = 5_000;

type Health = ResultOf<'installation.health'>;

export function HealthTab() {
  const { data, error } = useRead('installation.health', {}, { every: EVERY_MS });
  return (
    <div className="stack loose">
      <ThrownNote error={error} />
      {data !== undefined && (
        <>
          <Now health={data} />
          <Providers health={data} />
          <Routes health={data} />
          <Jobs health={data} />
        </>
      )}
    </div>
  );
}

function Now({ health }: { health: Health }) {
  const t = useTexts(healthTexts);
  const { redis } = health;
  return (
    <Card title={t('now')}>
      <Figures>
        <Figure name={t('process')}>
          <Badge tone={health.ready ? 'good' : 'bad'}>{t(health.ready ? 'ready' : 'notReady')}</Badge>
        </Figure>
        <Figure name={t('inFlight')}>{health.in_flight}</Figure>
        <Figure name={t('unsettled')} note={t('unsettledNote')}>
          {health.unsettled_batches}
        </Figure>
        <Figure
          name={t('quarantined')}
          note={
            health.quarantined_batches > 0 && (
              <Link to="/operator" search={{ tab: 'quarantine' }}>
                {t('lookAtThem')}
              </Link>
            )
          }
        >
          {health.quarantined_batches}
        </Figure>
        <Figure name={t('heldBack')} note={t('heldBackNote')}>
          {health.callers_held_back}
        </Figure>
        <Figure name={t('database')}>{health.database}</Figure>
        <Figure name={t('redis')}>
          {redis === null ? (
            <Badge tone="quiet">{t('noRedis')}</Badge>
          ) : (
            <Badge tone={redis === 'connected' ? 'good' : 'bad'}>
              {t(redis === 'connected' ? 'connected' : 'away')}
            </Badge>
          )}
        </Figure>
      </Figures>
    </Card>
  );
}

function Providers({ health }: { health: Health }) {
  const t = useTexts(healthTexts);
  return (
    <Card title={t('providers')}>
      <PlainTable
        caption={t('providers')}
        rows={health.providers}
        rowKey={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t('provider'),
            cell: ({ name, simulated }) => (
              <span className="words">
                {name} {simulated && <Badge tone="quiet">{t('simulated')}</Badge>}
              </span>
            ),
          },
          { key: 'dialect', title: t('dialect'), as: 'text' },
          {
            key: 'open',
            title: t('openRoutes'),
            number: true,
            cell: ({ open_routes: open }) => (open === 0 ? 0 : <Badge tone="bad">{open}</Badge>),
          },
        ]}
      />
    </Card>
  );
}

/** Open ones first: they are what somebody looks here for. */
function Routes({ health }: { health: Health }) {
  const t = useTexts(healthTexts);
  const rows = health.routes.toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'));
  return (
    <Card title={t('routes')}>
      <div className="stack loose">
        <p className="hint">{t('routesNote')}</p>
        {rows.length === 0 ? (
          <p>{t('noRoutes')}</p>
        ) : (
          <PlainTable
            caption={t('routes')}
            rows={rows}
            rowKey={({ model, provider, upstream_model }) => `${model} ${provider} ${upstream_model}`}
            columns={[
              { key: 'model', title: t('model'), as: 'words' },
              { key: 'provider', title: t('provider'), as: 'text' },
              { key: 'upstream_model', title: t('upstream'), as: 'words', wide: true },
              { key: 'priority', title: t('priority'), as: 'number', wide: true },
              { key: 'weight', title: t('weight'), as: 'number', wide: true },
              {
                key: 'state',
                title: t('breaker'),
                cell: ({ state }) => <Badge tone={state === 'open' ? 'bad' : 'good'}>{t(state)}</Badge>,
              },
            ]}
          />
        )}
      </div>
    </Card>
  );
}

function Jobs({ health }: { health: Health }) {
  const t = useTexts(healthTexts);
  return (
    <Card title={t('jobs')}>
      <div className="stack loose">
        <p className="hint">{t('jobsNote')}</p>
        {health.jobs.length === 0 ? (
          <p>{t('noJobs')}</p>
        ) : (
          <PlainTable
            caption={t('jobs')}
            rows={health.jobs}
            rowKey={({ kind }) => kind}
            columns={[
              { key: 'kind', title: t('kind'), as: 'text' },
              { key: 'waiting', title: t('waiting'), as: 'number' },
              {
                key: 'overdue',
                title: t('overdue'),
                number: true,
                cell: ({ overdue }) => <Bad count={overdue} />,
              },
              {
                key: 'failing',
                title: t('failing'),
                number: true,
                cell: ({ failing }) => <Bad count={failing} />,
              },
            ]}
          />
        )}
      </div>
    </Card>
  );
}

function Bad({ count }: { count: number }) {
  return count === 0 ? 0 : <Badge tone="bad">{count}</Badge>;
}
