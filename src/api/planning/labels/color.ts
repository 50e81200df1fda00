import { CSS_COLORS } from './css-colors.ts';

/**
 * Parses `#RGB`, `#RRGGBB` or a CSS color name and returns `#RRGGBB` (contract/planning.md §3.5), or null for anything else.
 * The case of hexadecimal digits is preserved.
 */
export function parseColor(text: string): string | null {
  const colorText = text.trim();
  if (/^#[0-9a-fA-F]{6}$/.test(colorText)) return colorText;
  if (/^#[0-9a-fA-F]{3}$/.test(colorText)) return colorText.replace(/[0-9a-fA-F]/g, '$&$&');
  return CSS_COLORS.get(colorText.toLowerCase()) ?? null;
}

/** A color is light if the sum of its red, green and blue components (0 to 255 each) exceeds this value. */
const LIGHT_THRESHOLD = 500;

/** Returns the text color that is readable on this background color; both are `#RRGGBB`. */
export function getTextColor(color: string): string {
  const components = [1, 3, 5].map((offset) => Number.parseInt(color.slice(offset, offset + 2), 16));
  return components.reduce((sum, component) => sum + component, 0) > LIGHT_THRESHOLD ? '#1F1E24' : '#FFFFFF';
}
