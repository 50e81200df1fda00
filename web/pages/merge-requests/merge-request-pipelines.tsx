import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { MergeRequestNavigation, mergeRequestQueries } from '../../components/merge-request-navigation.tsx';
import { Pager } from '../../components/pager.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { page } from '../../page.ts';

/** The pipelines of the source branch of a merge request, newest first. */
export const mergeRequestPipelines = page('mergeRequestPipelines', {
  queries: ({ values: { project: id = '', merge_request_iid = '' }, search }) => ({
    ...mergeRequestQueries(id, merge_request_iid),
    pipelines: query('GET /projects/:id/merge_requests/:merge_request_iid/pipelines', {
      id,
      merge_request_iid,
      page: readPageNumber(search),
    }),
  }),
  title: ({ mergeRequest }) => mergeRequest.value.title,
  navigation: (props) => <MergeRequestNavigation {...props} current="mergeRequestPipelines" />,
  render: ({ pipelines, location: { search, toUrl, values } }) => (
    <>
      {pipelines.value.length === 0 ? (
        <div class="empty">
          <p class="empty-title">No pipelines</p>
          <p class="quiet">
            Pipelines of the source branch appear here. A push creates one if it has a CI configuration.
          </p>
        </div>
      ) : (
        <ul class="rows">
          {pipelines.value.map(({ id, web_url, status, ref, sha, created_at }) => (
            <li key={id} class="row">
              <a class="row-main row-title" href={web_url}>
                Pipeline #{id}
              </a>
              <span class="row-facts quiet">
                <Status status={status} />
                <span>{ref}</span>
                <a href={toUrl(toPath('commit', { project: values.project ?? '', sha }))}>
                  <code>{sha.slice(0, 8)}</code>
                </a>
                <Time value={created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pager list={pipelines} search={search} href={toUrl(toPath('mergeRequestPipelines', values))} />
    </>
  ),
});
