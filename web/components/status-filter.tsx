import { describeStatus, readStatusFilter, STATUS_FILTERS } from '../text/ci-status.ts';

/** The field that filters a list of pipelines or jobs by status. */
export function StatusFilter({ search }: { readonly search: URLSearchParams }) {
  const chosen = readStatusFilter(search);
  return (
    <label>
      Status{' '}
      <select name="status">
        <option value="">All</option>
        {STATUS_FILTERS.map((status) => (
          <option key={status} value={status} selected={status === chosen}>
            {describeStatus(status).label}
          </option>
        ))}
      </select>
    </label>
  );
}
