#include "draw/color_scale.h"

#include <algorithm>
#include <cmath>

namespace attend::draw {
namespace {

constexpr double kDarkest = 0.30;  // OKLab lightness of weight 1
constexpr double kHue = 255.0;     // degrees: blue, distinct under every common colour deficiency
constexpr double kColorfulness = 0.5;

// IEC 61966-2-1.
double gamma_encode(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  return value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1.0 / 2.4) - 0.055;
}

double gamma_decode(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

double cube(double value) {
  return value * value * value;
}

// Ottosson's inverse matrices.
Color from_oklab(double lightness, double a, double b) {
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {gamma_encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

double luminance(const Color& color) {
  return 0.2126 * gamma_decode(color.red) + 0.7152 * gamma_decode(color.green) +
         0.0722 * gamma_decode(color.blue);
}

}  // namespace

Color shade(double fraction) {
  const double weight = std::isnan(fraction) ? 0.0 : std::clamp(fraction, 0.0, 1.0);
  const double lightness = 1.0 - (1.0 - kDarkest) * weight;
  // sRGB has less room for colour at both ends of the scale than in its middle.
  const double chroma = kColorfulness * lightness * (1.0 - lightness);
  const double hue = kHue * std::acos(-1.0) / 180.0;
  return from_oklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
}

Color readable_on(const Color& background) {
  // By the formula of WCAG 2.1, black and white have equal contrast at luminance 0.18. But on
  // backgrounds of medium lightness, white is easier to read than the formula predicts.
  constexpr double kBrightEnough = 0.27;
  return luminance(background) > kBrightEnough ? Color{0.0, 0.0, 0.0} : Color{1.0, 1.0, 1.0};
}

}  // namespace attend::draw
