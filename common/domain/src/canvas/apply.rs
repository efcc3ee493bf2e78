//! Applies one operation to a canvas. An error is in words; the caller then keeps the canvas as it was.

use super::ops::{CanvasOp, LayerFields};
use super::{Canvas, Known, Layer, MOST_ITEMS, MOST_LAYERS, Milli, fields};
use crate::document::unknown_id;
use crate::part_ids::free_id;
use crate::timeline::Ratio;

/// The word for a canvas in refusals.
const NOUN: &str = "canvas";

impl Canvas {
    /// Applies one operation. `known` has the items and the brand kit that it may name.
    ///
    /// # Errors
    /// Why it can't be applied, in words.
    pub fn apply(&mut self, op: CanvasOp, known: Known<'_>) -> Result<(), String> {
        match op {
            CanvasOp::AddLayer(given) => self.add_layer(*given, known)?,
            CanvasOp::UpdateLayer(given) => self.update_layer(*given, known)?,
            CanvasOp::MoveLayer { layer_id, position } => {
                let at = self.layer(&layer_id)?;
                let layer = self.layers.remove(at);
                self.put(layer, position);
            }
            CanvasOp::RemoveLayer { layer_id } => {
                let at = self.layer(&layer_id)?;
                self.layers.remove(at);
            }
            CanvasOp::SetCanvas { width, height, background } => {
                let (width, height) =
                    (width.map_or(self.width, fields::side), height.map_or(self.height, fields::side));
                fields::size(width, height)?;
                (self.width, self.height) = (width, height);
                if let Some(color) = background {
                    self.background = fields::some_color("background", color, known.kit)?;
                }
            }
        }
        if self.items().len() > MOST_ITEMS {
            return Err(format!("a canvas names at most {MOST_ITEMS} items"));
        }
        Ok(())
    }

    fn add_layer(&mut self, mut given: LayerFields, known: Known<'_>) -> Result<(), String> {
        if self.layers.len() >= MOST_LAYERS {
            return Err(format!("a canvas has at most {MOST_LAYERS} layers"));
        }
        let taken = self.layers.iter().map(|layer| layer.id.as_str());
        let id = free_id(NOUN, "layer", given.layer_id.take(), taken)?;
        let position = given.position.take();
        let content = given.new_content(known)?;
        let empty = Layer {
            id,
            content,
            x: Milli::ZERO,
            y: Milli::ZERO,
            width: None,
            height: None,
            rotation: Milli::ZERO,
            opacity: Ratio::ONE,
            radius: Milli::ZERO,
            shadow: None,
        };
        let layer = empty.with(given, known)?;
        self.put(layer, position);
        Ok(())
    }

    fn update_layer(&mut self, mut given: LayerFields, known: Known<'_>) -> Result<(), String> {
        let id = given.layer_id.take().ok_or("missing field `layer_id`")?;
        let at = self.layer(&id)?;
        let position = given.position.take();
        let layer = self.layers.remove(at);
        if given.kind.take().is_some_and(|kind| kind != layer.content.kind()) {
            return Err("`type`: a layer stays what it is; remove it and add another".to_owned());
        }
        let layer = layer.with(given, known)?;
        self.put(layer, position.or(Some(at)));
        Ok(())
    }

    fn put(&mut self, layer: Layer, position: Option<usize>) {
        self.layers.insert(position.unwrap_or(usize::MAX).min(self.layers.len()), layer);
    }

    fn layer(&self, id: &str) -> Result<usize, String> {
        self.layers.iter().position(|layer| layer.id == id).ok_or_else(|| unknown_id(NOUN, "layer", id))
    }
}
