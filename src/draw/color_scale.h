#pragma once

namespace attend::draw {

/// An sRGB colour; each component is in 0 .. 1.
struct Color {
  double red = 0.0;
  double green = 0.0;
  double blue = 0.0;
  bool operator==(const Color&) const = default;
};

inline constexpr Color kFaintInk{0.45, 0.45, 0.45};  ///< for text less important than labels
inline constexpr Color kFrame{0.62, 0.62, 0.62};     ///< around a table of weights

/// The shade of a weight: white for 0 to dark blue for 1. It has one hue and evenly falling
/// lightness in the perceptual space OKLab (Ottosson 2020, "A perceptual color space for image
/// processing"), so it also works in grey print and without colour vision. Values outside 0 .. 1
/// are clamped; NaN counts as 0.
[[nodiscard]] Color shade(double fraction);

/// Black or white, whichever is easier to read on `background`.
[[nodiscard]] Color readable_on(const Color& background);

}  // namespace attend::draw
