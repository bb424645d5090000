//! Tests alone: broken texts.

mod offered;
mod told;
