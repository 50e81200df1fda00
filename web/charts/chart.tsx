import type { ComponentChildren } from 'preact';

/** A chart: a summary sentence, the drawing, and its data as a table. */
export function Chart({
  summary,
  columns,
  rows,
  children,
}: {
  readonly summary: string;
  readonly columns: readonly string[];
  /** The cells of each row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly children: ComponentChildren;
}) {
  return (
    <figure class="chart">
      <figcaption>{summary}</figcaption>
      {children}
      <details>
        <summary>Data of the chart</summary>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, index) => (
              <tr key={index}>
                {cells.map((cell, column) => (
                  <td key={columns[column]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
