"""Materials of surfaces and dice for Cycles, Blender's path tracer: shaders that look up texture images."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from training.scenes.dice.bodies import CLEAR, HEIGHT, METAL, ROUGH
from training.scenes.dice.die_sheet import DieSheet
from training.scenes.dice.die_style import DieStyle
from training.scenes.world import Cover

Floats = NDArray[np.float32]
HEIGHT_SPAN = 0.6
"""Range of heights that a texture can store, in half edges of a die. Half of the range is below the surface."""


def new_shader(name: str) -> tuple[Any, Any, Any]:
    """Return a new Blender material, its node tree and its shader node."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    return material, tree, tree.nodes["Principled BSDF"]


def to_rgba(rgb: Any) -> tuple[float, float, float, float]:
    """Return an RGB colour with an opacity of 1, as the inputs of shader nodes expect it."""
    return (float(rgb[0]), float(rgb[1]), float(rgb[2]), 1.0)


def add_texture(tree: Any, pixels: Floats, *, repeat: bool) -> Any:
    """Add a texture image to a material and return the output socket with its colour.

    Args:
        tree: Node tree of the material.
        pixels: Colours (h, w, 3).
        repeat: Whether the image is repeated beyond its borders. If not, its border pixels are.
    """
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("pixels", width, height, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    full = np.ones((height, width, 4), np.float32)
    full[..., :3] = pixels[::-1]
    image.pixels.foreach_set(full.ravel())
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    node.extension = "REPEAT" if repeat else "EXTEND"
    return node.outputs["Color"]


def make_cover_material(cover: Cover) -> Any:
    """Return the Blender material of a floor, a wall or an object."""
    material, tree, shader = new_shader("cover")
    links = tree.links
    if cover.colours.shape[0] <= 4:
        shader.inputs["Base Color"].default_value = to_rgba(cover.colours[0, 0])
    else:
        links.new(add_texture(tree, cover.colours, repeat=True), shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = cover.rough
    shader.inputs["Metallic"].default_value = cover.metal
    if cover.clear:
        shader.inputs["Transmission Weight"].default_value = cover.clear
        _let_light_in(tree, shader, cover.colours[0, 0], cover.clear)
    if cover.relief_mm > 0.02 and cover.heights.shape[0] > 4:
        heights = np.repeat(cover.heights[..., None], 3, axis=2)
        _bump(tree, shader, add_texture(tree, heights, repeat=True), cover.relief_mm)
    return material


def make_die_material(style: DieStyle, sheet: DieSheet, edge_mm: float, *, dented: bool) -> Any:
    """Return the Blender material of a set of dice.

    Args:
        style: Appearance of the set of dice.
        sheet: The unrolled faces of the dice.
        edge_mm: Edge of the dice in millimetres.
        dented: Whether the pips are dents in the mesh. If not, the material simulates their depth by bump mapping.
    """
    material, tree, shader = new_shader("die")
    links = tree.links
    links.new(
        add_texture(tree, sheet.unrolled([0, 1, 2]), repeat=False), shader.inputs["Base Color"]
    )
    stuff = sheet.unrolled([ROUGH, METAL, CLEAR])
    parts = tree.nodes.new("ShaderNodeSeparateColor")
    links.new(add_texture(tree, stuff, repeat=False), parts.inputs["Color"])
    links.new(parts.outputs["Red"], shader.inputs["Roughness"])
    links.new(parts.outputs["Green"], shader.inputs["Metallic"])
    shader.inputs["IOR"].default_value = 1.49
    if stuff[..., 2].max() > 0.01:
        links.new(parts.outputs["Blue"], shader.inputs["Transmission Weight"])
        _let_light_in(tree, shader, style.body.colours[0], parts.outputs["Blue"])
    if not dented and np.abs(sheet.faces[..., HEIGHT]).max() > 0.005:
        heights = sheet.unrolled([HEIGHT] * 3) / HEIGHT_SPAN + 0.5
        _bump(tree, shader, add_texture(tree, heights, repeat=False), HEIGHT_SPAN * edge_mm / 2)
    return material


def _bump(tree: Any, shader: Any, heights: Any, distance: float) -> None:
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Strength"].default_value = 1.0
    bump.inputs["Distance"].default_value = distance
    tree.links.new(heights, bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])


def _let_light_in(tree: Any, shader: Any, tint: Any, share: Any) -> None:
    """Let lamps shine straight through glass, because pips on the underside would otherwise be dark.

    Cycles finds refracted light only by chance, and with few samples it finds none.
    """
    nodes, links = tree.nodes, tree.links
    through = nodes.new("ShaderNodeBsdfTransparent")
    through.inputs["Color"].default_value = to_rgba(np.sqrt(tint))
    is_light = nodes.new("ShaderNodeMath")
    is_light.operation = "MULTIPLY"
    links.new(nodes.new("ShaderNodeLightPath").outputs["Is Shadow Ray"], is_light.inputs[0])
    if isinstance(share, float):
        is_light.inputs[1].default_value = share
    else:
        links.new(share, is_light.inputs[1])
    either = nodes.new("ShaderNodeMixShader")
    links.new(is_light.outputs[0], either.inputs[0])
    links.new(shader.outputs[0], either.inputs[1])
    links.new(through.outputs[0], either.inputs[2])
    links.new(either.outputs[0], nodes["Material Output"].inputs["Surface"])
