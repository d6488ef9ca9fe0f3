// Small helpers for building the page without a framework.

type Child = Node | string | null;

/** h('button.primary', { title: '…', onclick: f }, 'text'): an element with classes, attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [name, ...classes] = tag.split('.') as [K, ...string[]];
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** Sets text only when it differs, so that an unchanged page costs no layout. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const ICONS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  step: 'M5 5v14l9-7zM16 5h3v14h-3z',
  back: 'M19 5v14l-9-7zM5 5h3v14H5z',
  reset: 'M12 5a7 7 0 1 1-6.6 4.7l1.9.6A5 5 0 1 0 12 7v3L7.5 6 12 2z',
  camera: 'M4 7h3.5L9 5h6l1.5 2H20v12H4zm8 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  list: 'M4 6h2v2H4zm4 0h12v2H8zM4 11h2v2H4zm4 0h12v2H8zm-4 5h2v2H4zm4 0h12v2H8z',
  record: 'M12 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12z',
  layers: 'M12 3l9 5-9 5-9-5zM4.8 12L12 16l7.2-4 1.8 1-9 5-9-5zM4.8 16L12 20l7.2-4 1.8 1-9 5-9-5z',
  help: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-1 10h2v2h-2zm1-8a3 3 0 0 1 1.8 5.4c-.6.5-.8.8-.8 1.6h-2c0-1.600.5-2.300 1.400-3A1.200 1.200 0 1 0 10.800 10h-2A3.200 3.200 0 0 1 12 7z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
  chart: 'M4 4h2v14h14v2H4zm4 10l4-5 3 3 4-6 1.600 1.100-5.400 8-3.100-3.100-2.500 3.200z',
  branch:
    'M7 3a3 3 0 0 1 1 5.800V14a6 6 0 0 1 5-3h1.200a3 3 0 1 1 0 2H13c-3 0-5 2-5 4.200A3 3 0 1 1 6 15.200V8.800A3 3 0 0 1 7 3z',
  undo: 'M9 5v4h6a5.500 5.500 0 0 1 0 11H8v-2h7a3.500 3.500 0 0 0 0-7H9v4L3 10z',
  close:
    'M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

export function iconButton(name: IconName, label: string, onclick: () => void): HTMLButtonElement {
  const button = h('button.icon', {
    type: 'button',
    title: label,
    'aria-label': label.replace(/ \(.*\)$/, ''),
    onclick,
  });
  button.append(icon(name));
  return button;
}

/** Replaces a button's icon. */
export function setIcon(button: HTMLButtonElement, name: IconName): void {
  if (button.dataset['icon'] === name) return;
  button.dataset['icon'] = name;
  button.replaceChildren(icon(name));
}

/** 0.00123 → "0.00123", 1234.5 → "1234.5": five digits that do not jump about. */
export function formatNumber(x: number): string {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  if (Number.isInteger(x) && size >= 100) return String(x);
  if (size < 1e-9) return '0.0000'; // rounding of sums, not a value
  if (size < 1e-4 || size >= 1e6) return x.toExponential(3);
  return x.toFixed(size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4);
}

/** "kg m^2" → "kg m²", as people write it. */
export const formatUnit = (unit: string): string => unit.replace(/\^2/g, '²').replace(/\^3/g, '³');

/** 754.508 → "12:34.508". */
export function formatTime(t: number): string {
  const milliseconds = Math.round(t * 1000);
  const minutes = Math.floor(milliseconds / 60000);
  return `${String(minutes).padStart(2, '0')}:${((milliseconds % 60000) / 1000).toFixed(3).padStart(6, '0')}`;
}
