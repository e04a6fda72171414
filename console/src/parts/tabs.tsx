import type { KeyboardEvent } from 'react';

interface TabsProps {
  /** The panel has the id `<id>-panel`; a tab has `<id>-<its id>`. */
  readonly id: string;
  readonly label: string;
  readonly tabs: ReadonlyArray<{ readonly id: string; readonly label: string }>;
  readonly current: string;
  onChoose(tab: string): void;
}

/** One stop of the tab key; the arrows move within. */
export function Tabs({ id, label, tabs, current, onChoose }: TabsProps) {
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === current);
    const places: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const place = places[event.key];
    const next = place === undefined ? undefined : tabs.at(place % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };

  return (
    <div role="tablist" aria-label={label} className="tabs">
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`${id}-${tab.id}`}
          type="button"
          role="tab"
          aria-selected={tab.id === current}
          aria-controls={`${id}-panel`}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onChoose(tab.id)}
          onKeyDown={move}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
