"""How light falls on a small die: lamp, sky, what the floor sends back, and gloss."""

from dataclasses import dataclass

import numpy as np

from device.cameras.lens import Floats
from device.cameras.look import LAMP, SKY, TO_LIGHT, TrayLook, light_of, shown

LAMP_MM = 900.0  # how far the lamp is: near enough that gloss wanders over a face
GLOSS = 0.10  # of a polished acrylic die, against 1 for a mirror
GLOSS_SHARPNESS = 24
FOOT_SHADE = 0.5  # how dark a side gets where it meets the floor


@dataclass(frozen=True, slots=True, eq=False)
class TableLight:
    """The light at one table."""

    body: Floats
    pip: Floats
    floor: Floats
    eye_mm: Floats

    @classmethod
    def of(cls, look: TrayLook, eye_mm: Floats) -> "TableLight":
        return cls(light_of(look.body), light_of(look.pip), light_of(look.felt), eye_mm)

    def on_body(self, points_mm: Floats, normals: Floats, height: Floats) -> Floats:
        """The grey levels of facets, (n, 3). `height` is 0 at the foot of the die, 1 at its top."""
        up = normals[:, 2:]
        lamp = LAMP * np.clip(normals @ TO_LIGHT, 0, None)[:, None] / TO_LIGHT[2]
        sky = SKY * (0.5 + 0.5 * up)
        bounce = 0.55 * (0.5 - 0.5 * up) * self.floor
        foot = 1 - FOOT_SHADE * np.clip(1 - height, 0, 1)[:, None] ** 2 * (1 - np.clip(up, 0, 1))
        light = (lamp + sky + bounce) * foot * self.body
        return shown(light + self._gloss(points_mm, normals)[:, None])

    def on_pip(self, normal: Floats, *, lit: float) -> Floats:
        """The grey level of a dent's bottom; `lit` 1 is the side that faces the lamp."""
        lamp = LAMP * max(0.0, float(normal @ TO_LIGHT)) / TO_LIGHT[2]
        return shown(self.pip * (0.8 + 0.2 * lit) * (lamp + SKY) + 0.012 * lit)

    def _gloss(self, points_mm: Floats, normals: Floats) -> Floats:
        to_lamp = TO_LIGHT * LAMP_MM - points_mm
        to_eye = self.eye_mm - points_mm
        half = _unit(_unit(to_lamp) + _unit(to_eye))
        glint = np.clip((half * normals).sum(axis=1), 0, 1)
        return np.asarray(GLOSS * glint**GLOSS_SHARPNESS)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
