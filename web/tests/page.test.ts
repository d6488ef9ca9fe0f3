// Small functions of the page that need no browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import { convexHull } from '../src/three/overlays';
import { formatNumber, formatTime } from '../src/ui/dom';

test('convex hull keeps corners only, counter-clockwise', () => {
  const square: [number, number][] = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  const hull = convexHull([[0.5, 0.5], ...square, [0.5, 0], [0, 0]]);
  assert.deepEqual(hull, [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]);
  assert.equal(convexHull([[1, 2]]).length, 1);
  assert.equal(convexHull([]).length, 0);
});

test('numbers and times are written as people read them', () => {
  assert.equal(formatNumber(0.12345), '0.1235');
  assert.equal(formatNumber(-1234.56), '-1234.6');
  assert.equal(formatNumber(1e-7), '1.000e-7');
  assert.equal(formatNumber(-3e-18), '0.0000');
  assert.equal(formatNumber(5115), '5115');
  assert.equal(formatNumber(NaN), '–');
  assert.equal(formatTime(754.508), '12:34.508');
  assert.equal(formatTime(0), '00:00.000');
  assert.equal(formatTime(59.9996), '01:00.000');
});
