import { useState } from 'preact/hooks';
import type { ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';

type Variables = ResultOf<'GET /projects/:id/pipelines/:pipeline_id/variables'>;

/** The variables that a pipeline was created with. Their values may be secrets, so that they are read only on request. */
export function PipelineVariables({
  project: id,
  pipeline: pipeline_id,
  location,
}: {
  readonly project: number;
  readonly pipeline: number;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const [variables, setVariables] = useState<Variables | null>(null);
  const load = async () => {
    const { value } = await client.call('GET /projects/:id/pipelines/:pipeline_id/variables', { id, pipeline_id });
    setVariables(value);
  };
  return (
    <section>
      <h2>Variables</h2>
      {variables === null ? (
        <ActionButton run={load} location={location}>
          Show the variables
        </ActionButton>
      ) : variables.length === 0 ? (
        <p class="quiet">The pipeline was created without variables.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {variables.map(({ key, value, variable_type }) => (
              <tr key={key}>
                <td>
                  <code>{key}</code> {variable_type === 'file' ? <span class="badge">file</span> : null}
                </td>
                <td>
                  <code>{value}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
