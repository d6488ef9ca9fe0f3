// Light or dark: the system's choice until the user makes one.

const KEY = 'gradus-theme';

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is forbidden: then the choice lasts as long as the page
  }
}

let choice = stored();

export function isDark(): boolean {
  return choice ? choice === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
}

export function toggleTheme(): void {
  choice = isDark() ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // see above
  }
}
