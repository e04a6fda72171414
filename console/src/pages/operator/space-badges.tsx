/** Whether a space can spend, in a word or two. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { Badge } from '../../parts/badge.tsx';
import { useTexts } from '../../text/say.ts';
import style from './operator.module.css';
import { spacesTexts } from './spaces-texts.ts';

export type SpaceRow = ResultOf<'spaces.list'>['data'][number];

export function SpaceBadges({ row }: { row: SpaceRow }) {
  const t = useTexts(spacesTexts);
  return (
    <span className={style.badges}>
      {row.blocked ? (
        <Badge tone="bad">{t('blocked')}</Badge>
      ) : row.can_spend ? (
        <Badge tone="good">{t('canSpend')}</Badge>
      ) : (
        <Badge tone="warn">{t('cannotSpend')}</Badge>
      )}
      {row.overage_allowed && <Badge tone="quiet">{t('overageAllowed')}</Badge>}
    </span>
  );
}
