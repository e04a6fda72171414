import { Dialog } from '../parts/dialog.tsx';
import { pageShortcuts } from '../parts/page-shortcuts.ts';
import { useTexts } from '../text/say.ts';
import { appTexts } from './texts.ts';

const rows = [
  ['Ctrl K / ⌘K', 'shortcutSearch'],
  ['?', 'shortcutHelp'],
  ['g h · r · u · k · l · p', 'shortcutGo'],
  ['j / k', 'shortcutRows'],
  ['Esc', 'shortcutClose'],
] as const;

export function ShortcutHelp({ onClose }: { onClose(): void }) {
  const t = useTexts(appTexts);
  return (
    <Dialog title={t('shortcuts')} onClose={onClose}>
      <dl className="pairs">
        {[...pageShortcuts(), ...rows.map(([keys, text]) => [keys, t(text)] as const)].map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
