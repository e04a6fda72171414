/** The buttons of a drawer: what can be done with the thing it shows. */

import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';

interface ActionBarProps<Action extends string> {
  readonly actions: readonly Action[];
  /** The one that takes something away. */
  readonly danger: Action;
  labelOf(action: NoInfer<Action>): string;
  onChoose(action: NoInfer<Action>): void;
}

export function ActionBar<Action extends string>(props: ActionBarProps<Action>) {
  const { actions, danger, labelOf, onChoose } = props;
  const t = useTexts(wordTexts);
  return (
    <div className="beside" role="toolbar" aria-label={t('actions')}>
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          className={action === danger ? 'danger' : undefined}
          onClick={() => onChoose(action)}
        >
          {labelOf(action)}
        </button>
      ))}
    </div>
  );
}
