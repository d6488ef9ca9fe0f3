// How levels of motion look: one colour and one short mark each, the same in tree, labels, inspector and plots.
// Colours are told apart by people with any kind of colour vision (after Okabe and Ito) and never stand alone.

export interface LevelStyle {
  mark: string;
  title: string;
  colour: string;
}

const STYLES: Record<string, LevelStyle> = {
  kinematic_walk: { mark: 'L0', title: 'kinematic walk', colour: '#56a8e0' },
  single_body: { mark: 'L1', title: 'single body', colour: '#e3a72f' },
  prescribed_joints: { mark: 'L2', title: 'prescribed joints', colour: '#2fae8a' },
  articulated: { mark: 'L3', title: 'articulated', colour: '#d8709f' },
  planar_wheels: { mark: 'W', title: 'planar wheels', colour: '#9a84e0' },
  free_body: { mark: '–', title: 'free body', colour: '#98a1ae' },
};

export function levelStyle(level: string): LevelStyle {
  return STYLES[level] ?? { mark: '?', title: level.replaceAll('_', ' '), colour: '#98a1ae' };
}
