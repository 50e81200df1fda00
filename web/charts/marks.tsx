import type { Shape } from '../text/ci-status.ts';

const CIRCLE = 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z';

/** Lines of each shape in a square of 16 px, and whether its second path is filled. */
const SHAPES: Readonly<Record<Shape, readonly [outline: string, inner: string]>> = {
  check: [CIRCLE, 'M4.75 8.25 7 10.5l4.25-4.75'],
  cross: ['M5.25 1.5h5.5l3.75 3.75v5.5l-3.75 3.75h-5.5L1.5 10.75v-5.5z', 'm5.5 5.5 5 5m0-5-5 5'],
  warning: ['M8 1.5 15 14H1z', 'M8 6v4m0 1.5v1'],
  half: [CIRCLE, 'M8 1.5v13a6.5 6.5 0 0 0 0-13z'],
  pause: [CIRCLE, 'M6.25 5.5v5m3.5-5v5'],
  slash: [CIRCLE, 'm3.75 12.25 8.5-8.5'],
  skip: [CIRCLE, 'm4.75 5.25 2.75 2.75-2.75 2.75m3.75-5.5 2.75 2.75-2.75 2.75'],
  play: [CIRCLE, 'm6.5 5 4.5 3-4.5 3z'],
  clock: [CIRCLE, 'M8 4.5V8l2.5 1.75'],
  dashed: ['M8 1.5a6.5 6.5 0 0 1 6.5 6.5M8 14.5A6.5 6.5 0 0 1 1.5 8', ''],
  dot: [CIRCLE, 'M8 7v2'],
};

/** The shape of a status, as lines in the text colour of the element that contains it. */
export function Mark({ shape }: { readonly shape: Shape }) {
  const [outline, inner] = SHAPES[shape];
  return (
    <g class={`mark mark-${shape}`}>
      <path d={outline} />
      <path class="mark-inner" d={inner} />
    </g>
  );
}
