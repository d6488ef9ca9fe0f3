"""gradus.SelfCollision."""
import unittest

import numpy as np

import gradus


class SelfCollision(unittest.TestCase):
    def test_postures_of_a_hexapod(self):
        check = gradus.SelfCollision("messor")
        self.assertEqual(len(check.joints), 18)
        q = np.zeros(18)
        self.assertFalse(check.collides(q))
        a, b, distance, p_a, p_b = check.nearest(q)
        self.assertAlmostEqual(distance, np.linalg.norm(p_a - p_b), 12)
        self.assertEqual(distance, check.distance(q))
        self.assertEqual(check.nearest(q, limit=1e-6)[0], "")
        q[check.joints.index("left_front_coxa")] = 0.9
        q[check.joints.index("left_middle_coxa")] = -0.9
        self.assertTrue(check.collides(q))
        self.assertEqual(check.distance(q), 0)
        with self.assertRaisesRegex(gradus.Error, "18 numbers"):
            check.collides(q[:4])
        with self.assertRaises(gradus.Error):
            gradus.SelfCollision("no_such_robot")


if __name__ == "__main__":
    unittest.main()
