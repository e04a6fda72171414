import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'tollgate.theme';

export function startTheme(): void {
  show(keptTheme());
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(keptTheme);
  const choose = (chosen: Theme): void => {
    localStorage.setItem(KEPT, chosen);
    show(chosen);
    setTheme(chosen);
  };
  return [theme, choose];
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
