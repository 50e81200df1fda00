import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';

/** Number of cells per row and column. The right half mirrors the left half. */
const CELLS = 5;
/** Number of columns that are not mirrored. */
const COLUMNS = Math.ceil(CELLS / 2);
/** Width of the margin, in cells. */
const MARGIN = 1;
/** Width and height of the image, in cells. */
const SIZE = CELLS + 2 * MARGIN;

/** Returns an SVG image derived from 16 hexadecimal digits; equal digits give equal images. */
function renderIdenticon(digits: string): string {
  const bits = BigInt(`0x${digits}`);
  // Different bits of the number decide which cells are filled, the hue and the lightness.
  const cells = Array.from({ length: CELLS * COLUMNS }, (_, cell) => cell).filter(
    (cell) => (bits >> BigInt(cell)) & 1n,
  );
  const hue = Number((bits >> 16n) % 360n);
  const lightness = 35 + Number((bits >> 48n) % 20n);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" shape-rendering="crispEdges">`,
    `<rect width="${SIZE}" height="${SIZE}" fill="hsl(${hue},30%,92%)"/>`,
    `<path fill="hsl(${hue},55%,${lightness}%)" d="${cells.map(buildSquares).join('')}"/>`,
    '</svg>\n',
  ].join('');
}

/** Returns the SVG path of a cell and its mirror image. */
function buildSquares(cell: number): string {
  const column = cell % COLUMNS;
  const row = Math.floor(cell / COLUMNS);
  const mirroredColumn = CELLS - 1 - column;
  return buildSquare(column, row) + (mirroredColumn === column ? '' : buildSquare(mirroredColumn, row));
}

function buildSquare(column: number, row: number): string {
  return `M${column + MARGIN} ${row + MARGIN}h1v1h-1z`;
}

export const getAvatar = endpoint({
  get: '/-/avatars/:file(^[0-9a-f]{16}\\.svg$)',
  summary: 'Get the generated avatar of a user',
  description:
    'Returns the SVG image to which `avatar_url` of users refers. It is drawn from the digits in the name of the ' +
    'file, so that it never changes and can be cached forever.',
  access: open(),
  outsideApi: true,
  response: stream,
  handle: ({ params }) => ({
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body: renderIdenticon(params.file.slice(0, 16)),
  }),
});
