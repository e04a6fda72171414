/** What an administrator sets of a key, a member or a space: one dialog for each operation that sets rules. */
import { type ReactNode, useState } from 'react';
import {
  inputName,
  rulesOf,
  type SettingName,
  settingOf,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { printKst } from '../../text/times.ts';
import { RuleFields, type RuleRow, ruleInput, typedRules } from './rule-fields.tsx';
import { useRuleTexts } from './say-rule.ts';
import { type Named, useSetRules } from './use-set-rules.ts';

interface RuleDialogProps {
  readonly holder: Holder;
  readonly setting: SettingName;
  readonly named: Named;
  /** In titles. */
  readonly name: string;
  readonly row: RuleRow & { readonly spent: string; readonly resets_at?: string };
  /** What the rule applies to. */
  readonly children?: ReactNode;
  onClose(): void;
}

export function RuleDialog(props: RuleDialogProps) {
  const [rule] = rulesOf(props.setting);
  if (rule?.kind === 'switch') return <SwitchDialog {...props} />;
  return rule?.kind === 'date' ? <EndDialog {...props} /> : <LimitDialog {...props} />;
}

function LimitDialog(props: RuleDialogProps & { ends?: ReactNode }) {
  const { holder, setting, named, name, row, children, ends, onClose } = props;
  const say = useRuleTexts(holder);
  const set = useSetRules(holder);
  const [typed, setTyped] = useState(typedRules(setting, row));
  const { spent, resets_at: resets } = row;
  const note =
    resets === undefined
      ? null
      : say(`${setting}_spent`, { spent: groupDigits(spent), time: printKst(resets) });
  return (
    <FormDialog
      title={say(`${setting}_title`, { name }) ?? name}
      submit={say('save') ?? ''}
      run={() => set(setting, named, ruleInput(setting, typed))}
      onClose={onClose}
    >
      {children}
      {note !== null && <p>{note}</p>}
      <RuleFields holder={holder} setting={setting} typed={typed} onType={setTyped} />
      {ends}
    </FormDialog>
  );
}

/** An end can also be now, after a confirmation. */
function EndDialog(props: RuleDialogProps) {
  const { holder, setting, named, name, onClose } = props;
  const say = useRuleTexts(holder);
  const set = useSetRules(holder);
  const [asksNow, setAsksNow] = useState(false);
  const now = say(`${setting}_now`) ?? '';
  if (!asksNow) {
    const button = (
      <p>
        <button type="button" className="danger" onClick={() => setAsksNow(true)}>
          {now}
        </button>
      </p>
    );
    return <LimitDialog {...props} ends={button} />;
  }
  return (
    <ConfirmDialog
      title={say(`${setting}_now_title`, { name }) ?? name}
      confirm={now}
      danger
      run={async () => {
        const ended = rulesOf(setting).map((rule) => [inputName(rule), 'now']);
        await set(setting, named, Object.fromEntries(ended));
        onClose();
      }}
      onClose={() => setAsksNow(false)}
    >
      {say(`${setting}_now_text`)}
    </ConfirmDialog>
  );
}

function SwitchDialog({ holder, setting, named, name, row, children, onClose }: RuleDialogProps) {
  const say = useRuleTexts(holder);
  // What it becomes; the row changes before the dialog is closed.
  const [turns] = useState(() => (isOn(setting, row) ? 'off' : 'on'));
  const { off } = settingOf(setting);
  const set = useSetRules(holder);
  const operation = turns === 'off' && off !== undefined ? off.name : setting;
  const input = off === undefined ? rulesOf(setting).map((rule) => [inputName(rule), turns === 'on']) : [];
  return (
    <ConfirmDialog
      title={say(`${setting}_${turns}_title`, { name }) ?? name}
      confirm={say(`${setting}_${turns}_confirm`) ?? ''}
      danger={setting === 'block' && turns === 'on'}
      run={() => set(operation, named, Object.fromEntries(input))}
      onClose={onClose}
    >
      <p>{say(`${setting}_${turns}_text`)}</p>
      {turns === 'on' && children}
    </ConfirmDialog>
  );
}

export function isOn(setting: SettingName, row: RuleRow): boolean {
  return rulesOf(setting).some(({ name }) => row[name] === true);
}
