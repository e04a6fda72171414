/** Filters of the list of keys, kept in the address. */
import { EMAIL, keyStates } from '../../../../gateway/src/contract/administration/words.ts';
import type { Search } from '../../addresses/search.ts';
import { Choice, Filters } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/line-field.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/define-texts.ts';
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
      <Choice
        label={t('state')}
        value={search.state ?? ''}
        options={[
          { value: '', label: t('anyState') },
          ...keyStates.map((state) => ({ value: state as string, label: t(state) })),
        ]}
        onChoose={(state) => change({ state })}
      />
      {isAdmin && tab === 'gateway' && (
        <>
          <Choice
            label={t('kind')}
            value={search.kind ?? ''}
            options={[
              { value: '', label: t('anyKind') },
              { value: 'personal', label: t('personal') },
              { value: 'shared', label: t('shared') },
            ]}
            onChoose={(kind) => change({ kind })}
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
