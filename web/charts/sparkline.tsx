/** A small chart with one bar for each value, the oldest first. The sentence next to it has the same information. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const max = Math.max(...values, 1);
  const height = 24;
  const step = 7;
  return (
    <svg class="sparkline" width={values.length * step} height={height} aria-hidden="true">
      {values.map((value, index) => {
        const barHeight = Math.max(2, (value / max) * height);
        return (
          // Values have no id.
          <rect key={index} x={index * step} y={height - barHeight} width={step - 2} height={barHeight} />
        );
      })}
    </svg>
  );
}
