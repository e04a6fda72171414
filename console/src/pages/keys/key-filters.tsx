/** Filters of the list of keys, kept in the address. */
import { EMAIL, keyStates } from '../../../../gateway/src/contract/administration/words.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import type { Search } from '../../addresses/search.ts';
import { Filters } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/line-field.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { keysTexts } from './texts.ts';
import { useMemberAddresses } from './use-member-addresses.ts';

export function KeyFilterRow(props: {
  tab: 'gateway' | 'management';
  search: Search;
  change(changes: Search, options?: { replace?: boolean }): void;
}) {
  const { tab, search, change } = props;
  const t = useTexts(keysTexts);
  const { isAdmin } = useRole();
  const members = useMemberAddresses(isAdmin && tab === 'gateway');
  return (
    <Filters>
      <TypedFilter
        label={t('search')}
        value={search.search ?? ''}
        onType={(typed) => change({ search: typed }, { replace: true })}
      />
      <FilterChoice name="state" label={t('state')} any={t('anyState')} values={keyStates} labelOf={t} />
      {isAdmin && tab === 'gateway' && (
        <>
          <FilterChoice
            name="kind"
            label={t('kind')}
            any={t('anyKind')}
            values={['personal', 'shared']}
            labelOf={t}
          />
          <TypedFilter
            label={t('member')}
            value={search.member ?? ''}
            placeholder={t('anyMember')}
            offers={members}
            onType={(member) => {
              if (member === '' || EMAIL.test(member)) change({ member }, { replace: true });
            }}
          />
        </>
      )}
    </Filters>
  );
}
