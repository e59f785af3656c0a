"""A scene as Cycles sees it: path traced, linear, before any camera.

`bpy` is Blender as a Python module; it is needed to make the training pictures, never to play.
"""

import math
from pathlib import Path
from typing import Any

import bpy
import cv2
import numpy as np
from mathutils import Matrix
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.light import coded, exposed
from training.scenes.looks import DieLook, colour, skin, skin_tone
from training.scenes.scene import Ball, PlacedDie, Scene, Thing, TrayShape
from training.scenes.surfaces import surface

SAMPLES = 4
ARC = 4  # steps around a rounded edge
FLAT = 8  # cells across the flat of a face


def render(scene: Scene, path: Path) -> None:
    """Path trace `scene` into a PNG of coded light."""
    rng = np.random.default_rng(scene.seed + 1)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _camera(scene)
    _sky(rng)
    _lamps(rng, scene)
    _ground(rng, scene)
    for index, look in enumerate(scene.looks):
        mesh = _die_mesh(look)
        mesh.materials.append(_die_material(look, rng, index))
        for die in scene.dice:
            if die.look == index:
                _place(mesh, die)
    for thing in scene.things:
        _thing(rng, thing)
    if scene.hand:
        _hand(rng, scene.hand)
    pixels = _traced(scene, path)
    cv2.imwrite(str(path), coded(exposed(pixels[..., ::-1], rng)))


def _traced(scene: Scene, path: Path) -> NDArray[np.float32]:
    settings = bpy.context.scene
    settings.render.engine = "CYCLES"
    settings.cycles.samples = SAMPLES
    settings.cycles.use_denoising = True
    settings.cycles.denoiser = "OPENIMAGEDENOISE"
    settings.cycles.denoising_prefilter = "NONE"
    settings.cycles.denoising_quality = "FAST"
    settings.cycles.use_adaptive_sampling = False
    settings.cycles.max_bounces = 5
    settings.cycles.caustics_reflective = False
    settings.cycles.caustics_refractive = False
    settings.cycles.sample_clamp_indirect = 4
    settings.cycles.seed = scene.seed % 2**31
    settings.render.threads_mode = "FIXED"
    settings.render.threads = 2
    settings.render.resolution_x = scene.camera.width
    settings.render.resolution_y = scene.camera.height
    settings.render.resolution_percentage = 100
    settings.view_settings.view_transform = "Raw"
    settings.render.image_settings.file_format = "OPEN_EXR"
    settings.render.image_settings.color_mode = "RGB"
    settings.render.image_settings.color_depth = "32"
    exr = path.with_suffix(".exr")
    settings.render.filepath = str(exr)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(exr))
    image.colorspace_settings.name = "Non-Color"
    flat = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(flat)
    exr.unlink()
    width, height = image.size
    out: NDArray[np.float32] = flat.reshape(height, width, -1)[::-1, :, :3]
    return out


def _camera(scene: Scene) -> None:
    data = bpy.data.cameras.new("camera")
    camera_thread = bpy.data.objects.new("camera", data)
    view = scene.camera
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = 36
    data.lens = view.focal / view.width * 36
    data.clip_end = 1000
    right, down, ahead = view.turn
    matrix = np.camera_thread(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = right, -down, -ahead, view.at
    camera_thread.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(camera_thread)
    bpy.context.scene.camera = camera_thread


def _sky(rng: Generator) -> None:
    """A room: a soft gradient, some windows and lamps."""
    height, width = 64, 128
    room = cv2.resize(rng.uniform(0.05, 0.5, (4, 8, 1)).astype(np.float32), (width, height))
    room = np.repeat(room[:, :, None], 3, axis=2) * np.array(colour(rng, rng.beta(1, 4), 0.9))
    for _ in range(int(rng.integers(0, 6))):
        x, y = rng.integers(0, width), rng.integers(height // 2, height)
        w, h = rng.integers(3, 24), rng.integers(3, 14)
        glow = np.array(colour(rng, float(rng.beta(1, 5)), 1.0)) * float(10 ** rng.uniform(0, 1.2))
        room[y : y + h, x : x + w] = glow
    if rng.random() < 0.5:
        room = cv2.GaussianBlur(room, (0, 0), float(rng.uniform(0.5, 5)))
    image = bpy.data.images.new("room", width, height, float_buffer=True)
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = room
    image.pixels.foreach_set(rgba.ravel())
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    texture = nodes.new("ShaderNodeTexEnvironment")
    texture.image = image
    background = nodes["Background"]
    background.inputs["Strength"].default_value = float(10 ** rng.uniform(-0.9, 0.3))
    links.new(texture.outputs["Color"], background.inputs["Color"])


def _lamps(rng: Generator, scene: Scene) -> None:
    reach = float(np.linalg.norm(scene.camera.at))
    kinds = rng.choice(
        ["AREA", "POINT", "SUN", "SPOT", "RING"],
        int(rng.choice([0, 1, 2, 3], p=[0.12, 0.48, 0.3, 0.1])),
    )
    for kind in kinds:
        tint = colour(rng, float(rng.beta(1, 4) * 0.6), 1.0)
        lean = np.radians(rng.uniform(0, 75))
        azimuth = rng.uniform(0, 2 * np.pi)
        way = np.array(
            [np.sin(lean) * np.cos(azimuth), np.sin(lean) * np.sin(azimuth), np.cos(lean)]
        )
        at = way * reach * rng.uniform(0.6, 2)
        if kind == "RING":
            for angle in np.arange(8) * np.pi / 4:
                ring = scene.camera.at + scene.camera.turn.T @ (
                    np.array([np.cos(angle), np.sin(angle), 0]) * reach * 0.08
                )
                _lamp("POINT", ring, scene.camera.at, tint, 3 * reach**2, 0.02 * reach)
            continue
        power = float(10 ** rng.uniform(-0.2, 0.8))
        size = reach * float(10 ** rng.uniform(-1.7, 0.1))
        watt = power if kind == "SUN" else 25 * power * float(np.dot(at, at))
        _lamp(str(kind), at, at, tint, watt, size)


def _lamp(  # noqa: PLR0917 - what a lamp is
    kind: str, at: Any, away: Any, tint: Any, power: float, size: float
) -> None:
    data = bpy.data.lights.new("lamp", kind)
    data.color = tint
    data.energy = power
    if kind == "AREA":
        data.size = size
    elif kind == "SUN":
        data.angle = min(0.3, size / 50)
    else:
        data.shadow_soft_size = min(size, 3)
    lamp = bpy.data.objects.new("lamp", data)
    z = np.array(away) / np.linalg.norm(away)
    x = np.cross([0.3, 1, 0.1], z)
    x /= np.linalg.norm(x)
    matrix = np.camera_thread(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = x, np.cross(z, x), z, at
    lamp.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(lamp)


def _material(name: str) -> tuple[Any, Any, Any]:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    return material, tree, tree.nodes["Principled BSDF"]


def _rgba(rgb: Any) -> tuple[float, float, float, float]:
    return (float(rgb[0]), float(rgb[1]), float(rgb[2]), 1.0)


def _surface(rng: Generator, kind: str | None = None) -> Any:
    """What lies under the dice or around them, laid flat and repeated."""
    drawn = surface(rng, kind)
    material, tree, shader = _material("surface")
    nodes, links = tree.nodes, tree.links
    where = nodes.new("ShaderNodeTexCoord").outputs["Object"]
    scaling = nodes.new("ShaderNodeMapping")
    scaling.inputs["Rotation"].default_value = (0, 0, float(rng.uniform(0, 3.1)))
    scaling.inputs["Scale"].default_value = (1 / drawn.tile,) * 3
    links.new(where, scaling.inputs["Vector"])
    colours = _picture(tree, drawn.colours, scaling.outputs["Vector"])
    links.new(colours, shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = drawn.rough
    if drawn.relief > 0.1:
        heights = _picture(
            tree, np.repeat(drawn.heights[..., None], 3, axis=2), scaling.outputs["Vector"]
        )
        bump = nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value = drawn.relief
        bump.inputs["Distance"].default_value = 0.12
        links.new(heights, bump.inputs["Height"])
        links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return material


def _picture(tree: Any, pixels: NDArray[np.float32], where: Any = None) -> Any:
    """The colour socket of a picture looked up by place, or by the skin of the mesh."""
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("pixels", width, height, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = pixels[::-1]
    image.pixels.foreach_set(rgba.ravel())
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    if where is not None:
        texture.extension = "MIRROR"
        tree.links.new(where, texture.inputs["Vector"])
    return texture.outputs["Color"]


def _object(mesh: Any, at: Any = (0, 0, 0)) -> Any:
    thing = bpy.data.objects.new(mesh.name, mesh)
    thing.location = [float(v) for v in at]
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _box(low: Any, high: Any, material: Any) -> None:
    mesh = bpy.data.meshes.new("box")
    corners = [
        (x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])
    ]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    mesh.materials.append(material)
    _object(mesh)


def _ground(rng: Generator, scene: Scene) -> None:
    tray = scene.tray
    drop = 0.0 if tray is None else float(rng.uniform(0.05, 0.5))
    _box((-400, -400, -1 - drop), (400, 400, -drop), _surface(rng))
    if tray is None:
        if rng.random() < 0.15:  # a sheet or cloth that ends somewhere
            edge = rng.uniform(-0.6, 0.6) * float(np.linalg.norm(scene.camera.at)) * 0.5
            _box((-400, edge, 0), (400, 400, 0.004), _surface(rng))
        return
    _tray(rng, tray, drop)


def _tray(rng: Generator, tray: TrayShape, drop: float) -> None:
    floor, wood = (
        _surface(rng),
        _surface(rng, str(rng.choice(["wood", "leather", "plain", "felt"]))),
    )
    if rng.random() < 0.2:
        wood = floor
    x, y, t = tray.width / 2, tray.depth / 2, tray.thick
    _box((-x, -y, -drop), (x, y, 0), floor)
    inner = floor if rng.random() < 0.35 else wood
    lean = 0.04
    for low, high in (
        ((-x - t, -y - t), (-x, y + t)), ((x, -y - t), (x + t, y + t)),
        ((-x, -y - t), (x, -y)), ((-x, y), (x, y + t)),
    ):  # fmt: skip
        _box((*low, -drop), (*high, tray.wall), wood)
    for low, high in (
        ((-x, -y), (-x + lean, y)), ((x - lean, -y), (x, y)), ((-x, -y), (x, -y + lean)), ((-x, y - lean), (x, y)),
    ):  # fmt: skip
        _box((*low, 0), (*high, tray.wall * 0.98), inner)


def _die_mesh(look: DieLook) -> Any:
    """A cube of edge 1 with rounded edges and, for some, corners cut by a ball."""
    arc = np.tan(np.linspace(0, np.pi / 4, ARC + 1)[1:]) * look.edge
    inner = 1 - look.edge
    steps = np.concatenate(
        [-(inner + arc)[::-1], np.linspace(-inner, inner, FLAT + 1), inner + arc]
    )
    points, faces, corners_uv = [], [], []
    for value, normal in {
        1: (1, 0, 0),
        2: (0, 1, 0),
        3: (0, 0, 1),
        4: (0, 0, -1),
        5: (0, -1, 0),
        6: (-1, 0, 0),
    }.items():
        n = np.array(normal, float)
        u = np.roll(np.abs(n), 1)
        v = np.cross(n, u)
        a, b = np.meshgrid(steps, steps, indexing="ij")
        cube = n + a[..., None] * u + b[..., None] * v
        body = np.clip(cube, -inner, inner)
        away = cube - body
        round_ = body + look.edge * away / np.maximum(
            np.linalg.norm(away, axis=2, keepdims=True), 1e-9
        )
        round_ *= np.minimum(1, look.ball / np.linalg.norm(round_, axis=2, keepdims=True))
        start, count = len(points), len(steps)
        points += [tuple(p) for p in (round_ / 2).reshape(-1, 3)]
        row, column = divmod(value - 1, 3)
        s = ((round_ @ u) + 1) / 2
        t = ((round_ @ v) + 1) / 2
        uv = np.stack([(column + s) / 3, 1 - (row + t) / 2], axis=2).reshape(-1, 2)
        for i in range(count - 1):
            for j in range(count - 1):
                quad = (
                    i * count + j,
                    (i + 1) * count + j,
                    (i + 1) * count + j + 1,
                    i * count + j + 1,
                )
                faces.append(tuple(start + k for k in quad))
                corners_uv += [tuple(uv[k]) for k in quad]
    mesh = bpy.data.meshes.new("die")
    mesh.from_pydata(points, [], faces)
    layer = mesh.uv_layers.new(name="skin")
    layer.data.foreach_set("uv", np.array(corners_uv, np.float32).ravel())
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
    return mesh


def _die_material(look: DieLook, rng: Generator, index: int) -> Any:
    material, tree, shader = _material(f"die{index}")
    nodes, links = tree.nodes, tree.links
    skin_colours = _picture(tree, skin(look, rng))
    parts = nodes.new("ShaderNodeSeparateColor")
    links.new(skin_colours, parts.inputs["Color"])
    body = _mix(tree, _rgba(look.body), _rgba(look.second), _marbling(tree, look))
    inked = _mix(tree, body, _rgba(look.pip), parts.outputs["Red"])
    inked = _mix(tree, inked, _rgba(look.lone), parts.outputs["Green"])
    links.new(inked, shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = look.rough
    shader.inputs["IOR"].default_value = 1.49
    if look.clear:
        ink = nodes.new("ShaderNodeMath")
        ink.operation = "MAXIMUM"
        links.new(parts.outputs["Red"], ink.inputs[0])
        links.new(parts.outputs["Green"], ink.inputs[1])
        see = nodes.new("ShaderNodeMath")
        see.operation = "MULTIPLY_ADD"
        see.inputs[1].default_value = -look.clear
        see.inputs[2].default_value = look.clear
        links.new(ink.outputs[0], see.inputs[0])
        links.new(see.outputs[0], shader.inputs["Transmission Weight"])
        _let_light_in(tree, shader, look, see.outputs[0])
    if look.dent:
        bump = nodes.new("ShaderNodeBump")
        bump.invert = True
        bump.inputs["Distance"].default_value = 0.5
        bump.inputs["Strength"].default_value = 0.7
        links.new(parts.outputs["Blue"], bump.inputs["Height"])
        links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return material


def _let_light_in(tree: Any, shader: Any, look: DieLook, share: Any) -> None:
    """Lamps shine straight through glass, tinted, else the pips below would be dark.

    Cycles finds light that is bent on its way only by chance; few samples never do.
    """
    nodes, links = tree.nodes, tree.links
    through = nodes.new("ShaderNodeBsdfTransparent")
    through.inputs["Color"].default_value = _rgba(np.sqrt(look.body))
    is_light = nodes.new("ShaderNodeMath")
    is_light.operation = "MULTIPLY"
    links.new(nodes.new("ShaderNodeLightPath").outputs["Is Shadow Ray"], is_light.inputs[0])
    links.new(share, is_light.inputs[1])
    either = nodes.new("ShaderNodeMixShader")
    links.new(is_light.outputs[0], either.inputs[0])
    links.new(shader.outputs[0], either.inputs[1])
    links.new(through.outputs[0], either.inputs[2])
    links.new(either.outputs[0], nodes["Material Output"].inputs["Surface"])


def _marbling(tree: Any, look: DieLook) -> Any:
    if not look.marbling:
        return 0.0
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = look.grain
    where = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(where.outputs["Object"], noise.inputs["Vector"])
    times = tree.nodes.new("ShaderNodeMath")
    times.operation = "MULTIPLY"
    times.inputs[1].default_value = look.marbling
    tree.links.new(noise.outputs["Fac"], times.inputs[0])
    return times.outputs[0]


def _mix(tree: Any, first: Any, second: Any, share: Any) -> Any:
    """The socket of a mix of two colours or sockets."""
    node = tree.nodes.new("ShaderNodeMixRGB")
    for name, value in (("Fac", share), ("Color1", first), ("Color2", second)):
        if isinstance(value, float | tuple):
            node.inputs[name].default_value = value
        else:
            tree.links.new(value, node.inputs[name])
    return node.outputs["Color"]


def _place(mesh: Any, die: PlacedDie) -> None:
    thing = bpy.data.objects.new("die", mesh)
    matrix = np.camera_thread(4)
    matrix[:3, :3] = die.turn * die.size
    matrix[:3, 3] = die.at
    thing.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(thing)


def _thing(rng: Generator, thing: Thing) -> None:
    x, y, _ = thing.at
    if thing.kind in ("coin", "button"):
        _cylinder(
            (x, y, 0.06),
            thing.size,
            0.12,
            _metal(rng) if thing.kind == "coin" else _surface(rng, "plain"),
        )
    elif thing.kind == "pen":
        _rod(rng, thing)
    elif thing.kind == "card":
        _card(rng, thing)
    elif thing.kind == "cup":
        _cylinder((x, y, 2), thing.size, 4, _surface(rng))
    elif thing.kind == "bead":
        bpy.ops.mesh.primitive_uv_sphere_add(radius=thing.size, location=(x, y, thing.size))
        _dress(_surface(rng, "plain"))
    else:
        material = _surface(rng, "plain")
        for _ in range(int(rng.integers(3, 12))):
            at = (x + rng.normal(0, 1), y + rng.normal(0, 1), 0.05)
            bpy.ops.mesh.primitive_ico_sphere_add(
                radius=thing.size * rng.uniform(0.4, 1.2), location=at
            )
            _dress(material)


def _dress(material: Any) -> None:
    bpy.context.object.data.materials.append(material)
    for polygon in bpy.context.object.data.polygons:
        polygon.use_smooth = True


def _metal(rng: Generator) -> Any:
    material, _, shader = _material("metal")
    shader.inputs["Metallic"].default_value = 1
    shader.inputs["Roughness"].default_value = float(rng.uniform(0.15, 0.6))
    shader.inputs["Base Color"].default_value = _rgba(
        np.array([0.8, 0.6, 0.4]) * rng.uniform(0.5, 1.2)
    )
    return material


def _cylinder(at: Any, radius: float, height: float, material: Any) -> None:
    bpy.ops.mesh.primitive_cylinder_add(vertices=48, radius=radius, depth=height, location=at)
    bpy.context.object.data.materials.append(material)


def _rod(rng: Generator, thing: Thing) -> None:
    x, y, _ = thing.at
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=int(rng.choice([6, 24])), radius=thing.size * 0.7, depth=float(rng.uniform(5, 9)),
        location=(x, y, thing.size * 0.7), rotation=(math.pi / 2, 0, thing.turn),
    )  # fmt: skip
    bpy.context.object.data.materials.append(_surface(rng))


def _card(rng: Generator, thing: Thing) -> None:
    x, y, _ = thing.at
    bpy.ops.mesh.primitive_cube_add(size=1, location=(x, y, 0.01), rotation=(0, 0, thing.turn))
    bpy.context.object.scale = (thing.size, thing.size * float(rng.uniform(0.5, 1.5)), 0.02)
    bpy.context.object.data.materials.append(
        _surface(rng, str(rng.choice(["print", "dots", "plain"])))
    )


def _hand(rng: Generator, balls: tuple[Ball, ...]) -> None:
    """The balls melted into one skin; Blender's own radius reaches half as far again."""
    melt = bpy.data.metaballs.new("hand")
    melt.resolution = melt.render_resolution = 0.25
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("hand", melt))
    for ball in balls:
        element = melt.elements.new()
        element.co = [float(v) for v in ball.at]
        element.radius = ball.radius * 1.5
    material, _, shader = _material("skin")
    shader.inputs["Base Color"].default_value = _rgba(skin_tone(rng))
    shader.inputs["Roughness"].default_value = float(rng.uniform(0.35, 0.7))
    melt.materials.append(material)
