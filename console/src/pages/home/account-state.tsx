/** Whether the space can make calls, and what it holds and owes. */

import { SpaceLink } from '../../addresses/space-link.tsx';
import { useRead } from '../../api/use-operation.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Card, Figure, Figures } from '../../parts/page.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { WorthNote } from '../../parts/worth-note.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import style from './home.module.css';
import { OVERVIEW_REFRESH_MS, type Overview } from './overview.ts';
import { homeTexts } from './texts.ts';

type Space = Overview['space'];
type State = 'blocked' | 'empty' | 'overage' | 'fine';

const tones: Readonly<Record<State, Tone>> = { blocked: 'bad', empty: 'bad', overage: 'warn', fine: 'good' };

export function AccountState({ space }: { space: Space }) {
  const t = useTexts(homeTexts);
  const { isAdmin, isOperator } = useRole();
  const { data } = useRead('reports.balance', { space: space.name }, { every: OVERVIEW_REFRESH_MS });
  const state = stateOf(space);
  const balance = data?.space === space.name ? data : null;
  const rate = balance?.worth ?? null;
  const command = isOperator ? commandFor(state, space.name) : null;
  return (
    <Card
      title={t('account')}
      side={isAdmin ? <SpaceLink page="balance">{t('toBalance')}</SpaceLink> : undefined}
    >
      <p className={style.state}>
        <Badge tone={tones[state]}>{t(`state_${state}`)}</Badge>
        <span>{t(`means_${state}`)}</span>
        {command !== null && <code>{command}</code>}
      </p>
      <Figures>
        <Figure
          name={t('held')}
          note={
            balance !== null && (
              <>
                {t('promo')} <UnitAmount value={balance.held.promo} /> · {t('paid')}{' '}
                <UnitAmount value={balance.held.paid} />
              </>
            )
          }
        >
          <UnitAmount value={balance?.held.total ?? space.held} />
          <WorthNote units={balance?.held.total ?? space.held} rate={rate} />
        </Figure>
        <Figure name={t('owed')} note={t(space.overage_allowed ? 'overageAllowed' : 'overageForbidden')}>
          <UnitAmount value={balance?.overage.accrued ?? space.overage} />
          <WorthNote units={balance?.overage.accrued ?? space.overage} rate={rate} />
        </Figure>
      </Figures>
    </Card>
  );
}

function stateOf({ blocked, can_spend, overage }: Space): State {
  if (blocked) return 'blocked';
  if (!can_spend) return 'empty';
  return overage === '0' ? 'fine' : 'overage';
}

/** What an operator types to change it. */
function commandFor(state: State, space: string): string | null {
  if (state === 'blocked') return `tollgate spaces block ${space} off`;
  return state === 'empty' ? `tollgate grants add 100 --space ${space}` : null;
}
