// How levels of motion look: one colour and one short mark each, the same in tree, labels, inspector and plots.
// Colours are told apart by people with any kind of colour vision (after Okabe and Ito) and never stand alone.

export interface LevelStyle {
  mark: string;
  title: string;
  shows: string; // what one can see at this level
  colour: string;
}

const STYLES: Record<string, LevelStyle> = {
  kinematic_walk: { mark: 'L0', title: 'kinematic walk', shows: 'the foot leads; cannot fall', colour: '#56a8e0' },
  single_body: { mark: 'L1', title: 'single body', shows: 'one rigid body: falls, slides', colour: '#e3a72f' },
  prescribed_joints: { mark: 'L2', title: 'prescribed joints', shows: 'joints exact, the body reacts', colour: '#2fae8a' },
  articulated: { mark: 'L3', title: 'articulated', shows: 'servos with their limits', colour: '#d8709f' },
  planar_wheels: { mark: 'W', title: 'planar wheels', shows: 'rolls and slips in the plane', colour: '#9a84e0' },
  free_body: { mark: '–', title: 'free body', shows: 'a ball, a box', colour: '#98a1ae' },
};

export function levelStyle(level: string): LevelStyle {
  return STYLES[level] ?? { mark: '?', title: level.replaceAll('_', ' '), shows: '', colour: '#98a1ae' };
}

/** Order of detail, for lists. */
export const LEVEL_ORDER = Object.keys(STYLES);
