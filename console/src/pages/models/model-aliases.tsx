/** Other names for the models of a space. Administrators add, change and remove those of their space. */
import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useRead } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { Card } from '../../parts/page.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { aliasTexts } from './alias-texts.ts';

type Alias = ResultOf<'aliases.list'>['data'][number];

/** Nothing is shown to those who can neither use an alias nor add one. */
export function ModelAliases({ codes }: { codes: readonly string[] }) {
  const t = useTexts(aliasTexts);
  const { isAdmin } = useRole();
  const [space, remove] = [useSpace(), useChange('aliases.remove')];
  const { data, error, refetch } = useRead('aliases.list', { space });
  const [edited, setEdited] = useState<Pick<Alias, 'name' | 'model'> | null>(null);
  const [removed, setRemoved] = useState<Alias | null>(null);
  const aliases = data?.data ?? [];
  if (error === null && aliases.length === 0 && (!isAdmin || codes.length === 0)) return null;
  const add = (
    <button type="button" onClick={() => setEdited({ name: '', model: codes[0] ?? '' })}>
      {t('add')}
    </button>
  );
  return (
    <Card title={t('title')} side={isAdmin && add}>
      <p className="hint">{t('intro')}</p>
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {aliases.length > 0 && (
        <PlainTable
          caption={t('title')}
          rows={aliases}
          rowKey={({ name }) => `alias-${name}`}
          columns={[
            { key: 'name', title: t('name'), as: 'code' },
            {
              key: 'model',
              title: t('model'),
              cell: ({ model, works }) => (
                <>
                  <code>{model}</code> {!works && <Badge tone="warn">{t('broken')}</Badge>}
                </>
              ),
            },
            { key: 'source', title: t('source'), wide: true, cell: ({ source }) => t(source) },
            ...(isAdmin
              ? [
                  {
                    key: 'actions',
                    title: t('actions'),
                    cell: (alias: Alias) =>
                      alias.source === 'space' && (
                        <>
                          <RowButton
                            name={t('changeName', { name: alias.name })}
                            onClick={() => setEdited(alias)}
                          >
                            {t('change')}
                          </RowButton>{' '}
                          <RowButton
                            name={t('removeName', { name: alias.name })}
                            onClick={() => setRemoved(alias)}
                          >
                            {t('remove')}
                          </RowButton>
                        </>
                      ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {edited !== null && <AliasDialog given={edited} codes={codes} onClose={() => setEdited(null)} />}
      {removed !== null && (
        <ConfirmDialog
          title={t('removeTitle', { name: removed.name })}
          confirm={t('remove')}
          danger
          run={() => remove.mutateAsync({ space, alias: removed.name })}
          onClose={() => setRemoved(null)}
        >
          <p>{t('removeText', { name: removed.name })}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface AliasDialogProps {
  /** An empty name: a new alias. */
  readonly given: Pick<Alias, 'name' | 'model'>;
  readonly codes: readonly string[];
  onClose(): void;
}

function AliasDialog({ given, codes, onClose }: AliasDialogProps) {
  const t = useTexts(aliasTexts);
  const [space, set] = [useSpace(), useChange('aliases.set')];
  const [name, setName] = useState(given.name);
  const [model, setModel] = useState(given.model);
  return (
    <FormDialog
      title={given.name === '' ? t('addTitle') : t('changeName', { name: given.name })}
      submit={t('save')}
      run={() => set.mutateAsync({ space, alias: name, model })}
      onClose={onClose}
    >
      {given.name === '' && (
        <LineField label={t('name')} hint={t('nameHint')} required value={name} onType={setName} />
      )}
      <Choice label={t('model')} value={model} values={[...new Set([...codes, model])]} onChoose={setModel} />
    </FormDialog>
  );
}
