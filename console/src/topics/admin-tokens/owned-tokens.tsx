/** The tokens that a person answers for, where they are about to lose rights, and whether to keep them. */
import { useRead } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { useTexts } from '../../text/say.ts';
import { tokenTexts } from './texts.ts';

interface OwnedTokensProps {
  readonly owner: string;
  /** Null: of the installation and of all spaces. */
  readonly space: string | null;
  readonly keeps: boolean;
  onKeep(keeps: boolean): void;
}

export function OwnedTokens({ owner, space, keeps, onKeep }: OwnedTokensProps) {
  const t = useTexts(tokenTexts);
  const own = useRead('tokens.list', { space: space ?? '', owner }, { enabled: space !== null });
  const all = useRead('operatorTokens.list', { owner, everywhere: true }, { enabled: space === null });
  const { data, error } = space === null ? all : own;
  if (error !== null) return <ThrownNote error={error} />;
  if (data === undefined || data.data.length === 0) return null;
  return (
    <>
      <p>{t('ownedText', { owner })}</p>
      <ul>
        {data.data.map(({ id, name, access, space: where }) => (
          <li key={id}>
            {name} ({t(access)}, {where ?? t('installation')})
          </li>
        ))}
      </ul>
      <label>
        <input type="checkbox" checked={keeps} onChange={({ target }) => onKeep(target.checked)} />{' '}
        {t('keepTokens')}
      </label>
    </>
  );
}
