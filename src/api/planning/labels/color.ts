import { CSS_COLORS } from './css-colors.ts';

/**
 * The color that `#RGB`, `#RRGGBB` or a CSS name says, as `#RRGGBB` (contract/planning.md §3.5); null for anything else.
 * Digits keep their case.
 */
export function readColor(text: string): string | null {
  const digits = text.trim();
  if (/^#[0-9a-fA-F]{6}$/.test(digits)) return digits;
  if (/^#[0-9a-fA-F]{3}$/.test(digits)) return digits.replace(/[0-9a-fA-F]/g, '$&$&');
  return CSS_COLORS.get(digits.toLowerCase()) ?? null;
}

/** Colors whose parts add up to more are light. */
const LIGHT = 500;

/** What text is readable on such a color, `#RRGGBB`. */
export function textColorOn(color: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return parts.reduce((sum, part) => sum + part, 0) > LIGHT ? '#1F1E24' : '#FFFFFF';
}
