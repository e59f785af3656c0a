"""Path-traces a scene with Blender's Cycles. The result is linear light, as it would reach a camera.

`bpy` is Blender as a Python module. It is needed to make images for training, never to play.
"""

import contextlib
import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from training.rendering.blender_materials import make_cover_material, make_die_material
from training.rendering.meshes import SurfaceMesh, make_die_mesh, make_solid_mesh
from training.scenes.dice.die_sheet import draw_die_sheet
from training.scenes.world import AreaLamp, HandShape, RestingDie, Rotation, Shade, Vector, World

Floats = NDArray[np.float32]
FAR_MM = 4000.0
METABALL_FACTOR = 1.5  # a Blender metaball reaches 1.5 times as far as its radius
SHEET_PX = (24, 192)
"""Smallest and largest number of pixels across a face of a die."""


@dataclass(frozen=True)
class TraceOptions:
    """The quality of path tracing."""

    samples: int = 4
    bounces: int = 5
    dents: bool = False  # pips are real dents in the mesh
    threads: int = 1
    guided: bool = False  # the denoiser also gets colours and normals


def trace_picture(world: World, how: TraceOptions, *, empty: bool = False) -> Floats:
    """Path-trace a scene, and return its linear RGB light (h, w, 3).

    Args:
        world: The scene to show.
        how: The quality of path tracing.
        empty: Whether to show the empty tray, without dice, foreign objects or hands.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _camera(world)
    _light(world)
    covers = [make_cover_material(c) for c in world.covers]
    _grounds(world, covers)
    for solid in world.solids:
        if solid.fixed or not empty:
            mesh = _made(make_solid_mesh(solid, world.covers[solid.cover]), covers[solid.cover])
            _stand(mesh, solid.at, solid.turn)
    if not empty:
        _dice(world, how)
        if world.hand is not None:
            _hand(world.hand, covers[world.hand.cover])
    return _traced(world, how)


def _traced(world: World, how: TraceOptions) -> Floats:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.samples = how.samples
    cycles.use_denoising = True
    cycles.denoiser = "OPENIMAGEDENOISE"
    cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"
    cycles.denoising_prefilter = "FAST" if how.guided else "NONE"
    cycles.denoising_quality = "HIGH" if how.guided else "FAST"
    cycles.use_adaptive_sampling = False
    cycles.max_bounces = how.bounces
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect = 4
    cycles.seed = world.seed % 2**31
    render = scene.render
    render.threads_mode, render.threads = "FIXED", how.threads
    render.resolution_x, render.resolution_y = world.camera.width, world.camera.height
    render.resolution_percentage = 100
    scene.view_settings.view_transform = "Raw"
    form = render.image_settings
    form.file_format, form.color_mode, form.color_depth = "OPEN_EXR", "RGB", "32"
    form.exr_codec = "NONE"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "light.exr"
        render.filepath = str(path)
        with _quiet():
            bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(str(path))
        image.colorspace_settings.name = "Non-Color"
        flat = np.empty(len(image.pixels), np.float32)
        image.pixels.foreach_get(flat)
    width, height = image.size
    out: Floats = flat.reshape(height, width, -1)[::-1, :, :3]
    return np.ascontiguousarray(out)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Discard the messages of Blender, which bypass Python's standard output."""
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def _camera(world: World) -> None:
    data = bpy.data.cameras.new("camera")
    eye = bpy.data.objects.new("camera", data)
    view = world.camera
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = 36
    data.lens = view.focal_px / view.width * 36
    data.clip_start, data.clip_end = 1, 3 * FAR_MM
    right, down, ahead = view.turn
    _place(eye, view.at, np.column_stack([right, -down, -ahead]))
    bpy.context.scene.camera = eye


def _place(thing: Any, at: Vector, turn: Rotation, scale: float = 1.0) -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = turn * scale
    matrix[:3, 3] = at
    thing.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(thing)


def _light(world: World) -> None:
    room = world.light.room
    height, width = room.shape[:2]
    image = bpy.data.images.new("room", width, height, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    full = np.ones((height, width, 4), np.float32)
    full[..., :3] = room[::-1]
    image.pixels.foreach_set(full.ravel())
    around = bpy.data.worlds.new("room")
    bpy.context.scene.world = around
    around.use_nodes = True
    nodes, links = around.node_tree.nodes, around.node_tree.links
    texture = nodes.new("ShaderNodeTexEnvironment")
    texture.image = image
    links.new(texture.outputs["Color"], nodes["Background"].inputs["Color"])
    around.cycles.sampling_method = "MANUAL"
    around.cycles.sample_map_resolution = 128
    for lamp in world.light.lamps:
        _lamp(lamp)
    for shade in world.light.shades:
        _shade(shade)


def _lamp(lamp: AreaLamp) -> None:
    """Add a disc-shaped lamp that faces the origin and has the brightness `lamp.power` there."""
    data = bpy.data.lights.new("lamp", "AREA")
    data.shape = "DISK"
    data.size = 2 * lamp.radius_mm
    away = float(np.linalg.norm(lamp.at))
    strength = float(lamp.power.max())
    data.color = [float(c) for c in lamp.power / strength]
    data.energy = strength * math.pi * away**2 / max(0.15, float(lamp.at[2]) / away)
    z = lamp.at / away
    x = np.cross([0.3, 1, 0.1], z)
    x /= np.linalg.norm(x)
    thing = bpy.data.objects.new("lamp", data)
    thing.visible_camera = False
    _place(thing, lamp.at, np.column_stack([x, np.cross(z, x), z]))


def _shade(shade: Shade) -> None:
    x, y = shade.half
    mesh = bpy.data.meshes.new("shade")
    mesh.from_pydata([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], [], [(0, 1, 2, 3)])
    thing = bpy.data.objects.new("shade", mesh)
    thing.visible_camera = thing.visible_glossy = thing.visible_transmission = False
    thing.visible_diffuse = False
    _place(thing, shade.at, shade.turn)


def _made(surface: SurfaceMesh, material: Any) -> Any:
    mesh = bpy.data.meshes.new("solid")
    mesh.vertices.add(len(surface.points))
    mesh.vertices.foreach_set("co", surface.points.astype(np.float32).ravel())
    mesh.loops.add(len(surface.loops))
    mesh.loops.foreach_set("vertex_index", surface.loops)
    mesh.polygons.add(len(surface.sizes))
    mesh.polygons.foreach_set("loop_start", surface.starts)
    layer = mesh.uv_layers.new(name="cover")
    layer.data.foreach_set("uv", surface.uv.astype(np.float32).ravel())
    mesh.update(calc_edges=True)
    if surface.normals is not None:
        mesh.polygons.foreach_set("use_smooth", np.ones(len(surface.sizes), bool))
        mesh.normals_split_custom_set_from_vertices(surface.normals.astype(np.float32).tolist())
    mesh.materials.append(material)
    return mesh


def _stand(mesh: Any, at: Vector, turn: Rotation, scale: float = 1.0) -> None:
    _place(bpy.data.objects.new("thing", mesh), at, turn, scale)


def _level(corners: Vector, height: float, world: World, cover: int, material: Any) -> None:
    """Add a level polygon, such as the floor, at a height in millimetres."""
    from training.rendering.meshes import tile_coordinates  # noqa: PLC0415

    count = len(corners)
    uv = tile_coordinates(corners, world.covers[cover])
    points = np.column_stack([corners, np.full(count, height)])
    surface = SurfaceMesh(
        points, None, np.arange(count, dtype=np.int32), np.array([count], np.int32), uv
    )
    _stand(_made(surface, material), np.zeros(3), np.eye(3))


def _grounds(world: World, covers: list[Any]) -> None:
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * FAR_MM
    if world.tray is None:
        _level(square, 0.0, world, world.ground, covers[world.ground])
        return
    _level(square, -world.drop_mm, world, world.table, covers[world.table])
    _level(world.tray.outline, 0.0, world, world.ground, covers[world.ground])


def _dice(world: World, how: TraceOptions) -> None:
    for index, style in enumerate(world.styles):
        own = [die for die in world.dice if die.style == index]
        if not own:
            continue
        edge = float(np.mean([die.edge_mm for die in own]))
        sheet = draw_die_sheet(style, face_px(world, own))
        material = make_die_material(style, sheet, edge, dented=how.dents)
        mesh = _made(make_die_mesh(style, sheet if how.dents else None), material)
        for die in own:
            _stand(mesh, die.at, die.turn, die.edge_mm)


def face_px(world: World, dice: list[RestingDie]) -> int:
    """Return the width in pixels at which the faces must be drawn so that the largest of the dice looks sharp.

    Args:
        world: The scene to show.
        dice: Dice of one style.
    """
    camera = world.camera
    largest = max(
        d.edge_mm * camera.focal_px / max(1.0, float(np.linalg.norm(d.at - camera.at)))
        for d in dice
    )
    return int(np.clip(1.5 * largest, *SHEET_PX))


def _hand(hand: HandShape, material: Any) -> None:
    melt = bpy.data.metaballs.new("hand")
    melt.resolution = melt.render_resolution = 3.0
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("hand", melt))
    for start, end, radii in zip(hand.starts, hand.ends, hand.radii, strict=True):
        count = max(2, int(np.linalg.norm(end - start) / (0.45 * radii.mean())))
        for share in np.linspace(0, 1, count):
            element = melt.elements.new()
            element.co = [float(v) for v in start + (end - start) * share]
            element.radius = float(radii[0] + (radii[1] - radii[0]) * share) * METABALL_FACTOR
    melt.materials.append(material)
