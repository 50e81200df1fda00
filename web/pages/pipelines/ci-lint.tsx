import { useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../api/call.ts';
import { ActionError, useAction } from '../../components/form.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { type ProjectDetails, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type LintResult = ResultOf<'POST /projects/:id/ci/lint'>;

/** Checks a CI file without running it. */
export const ciLint = page('ciLint', {
  queries: ({ values: { project: id = '' } }) => projectQueries(id),
  title: () => 'Check a CI file',
  navigation: (props) => <PipelinesNavigation {...props} current="ciLint" />,
  render: ({ project, location }) => <Lint project={project.value} location={location} />,
});

function Lint({ project, location }: { readonly project: ProjectDetails; readonly location: PageLocation }) {
  const { client, announce } = usePageActions();
  const { isBusy, error, run } = useAction();
  const content = useRef<HTMLTextAreaElement>(null);
  const isDryRun = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState<LintResult | null>(null);
  const path = ('ci_config_path' in project && project.ci_config_path) || '.gitlab-ci.yml';
  const insert = () =>
    run(async () => {
      const { value } = await client.call('GET /projects/:id/repository/files/:file_path/raw', {
        id: project.id,
        file_path: path,
        ref: project.default_branch ?? 'HEAD',
      });
      content.current!.value = String(value);
    });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const { value } = await client.call('POST /projects/:id/ci/lint', {
        id: project.id,
        content: content.current!.value,
        dry_run: isDryRun.current!.checked,
        include_jobs: true,
      });
      setResult(value);
      announce(value.valid ? 'The file is valid.' : 'The file is invalid.');
    });
  };
  return (
    <>
      <form class="form" aria-label="Check a CI file" onSubmit={submit}>
        <div class="field">
          <label for="ci-file">Content of {path}</label>
          <textarea id="ci-file" ref={content} class="code-field" rows={16} required spellcheck={false} />
        </div>
        <p>
          <label>
            <input type="checkbox" ref={isDryRun} /> Simulate a push to {project.default_branch ?? 'the default branch'}
            , with all rules
          </label>
        </p>
        <ActionError error={error} location={location} />
        <p class="form-buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Check
          </button>
          {project.default_branch ? (
            <button type="button" disabled={isBusy} onClick={() => void insert()}>
              Insert the file of {project.default_branch}
            </button>
          ) : null}
        </p>
      </form>
      {result === null ? null : <Result result={result} />}
    </>
  );
}

function Result({ result: { valid, errors, warnings, jobs = [], merged_yaml } }: { readonly result: LintResult }) {
  return (
    <section>
      <h2>{valid ? 'The file is valid' : 'The file is invalid'}</h2>
      {errors.map((error) => (
        <p key={error} class="note">
          {error}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} class="quiet">
          Warning: {warning}
        </p>
      ))}
      {jobs.length === 0 ? null : (
        <table>
          <caption>Jobs</caption>
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <th scope="col">Job</th>
              <th scope="col">Runs</th>
              <th scope="col">Script</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map(({ stage, name, when, allow_failure, script }) => (
              <tr key={name}>
                <td>{stage}</td>
                <th scope="row">{name}</th>
                <td>
                  {when.replaceAll('_', ' ')}
                  {allow_failure ? ', may fail' : ''}
                </td>
                <td>
                  <code class="plain-text">{script.join('\n')}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {merged_yaml === null ? null : (
        <details>
          <summary>The file with its includes and extensions</summary>
          <pre class="command">{merged_yaml}</pre>
        </details>
      )}
    </section>
  );
}
