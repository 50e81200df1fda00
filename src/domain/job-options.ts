import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { expandJsonTexts, isInIds } from '#database/dialect.ts';

/**
 * Loads the options of jobs by job id; a job without options is absent. `names` limits the result to the needed options, so that
 * other, large ones are not read; options that share a row are returned nevertheless. index: jobs primary key, job_option_parts primary key
 */
export async function loadJobOptions<Options extends object>(
  db: Reader,
  jobIds: readonly number[],
  names: readonly (keyof Options & string)[] | 'all' = 'all',
): Promise<Map<number, Partial<Options>>> {
  if (jobIds.length === 0) return new Map();
  const rows = await sql<{ id: number; name: string | null; value: string }>`
    select jobs.id, part.name, part.value
    from jobs cross join ${expandJsonTexts(db, sql.ref('jobs.option_parts'))} as element
    inner join job_option_parts as part on part.id = cast(element.value as bigint)
    where ${isInIds(db, sql.ref('jobs.id'), jobIds)}
    ${names === 'all' ? sql`` : sql`and (part.name is null or part.name in (${sql.join(names)}))`}`.execute(db);
  const optionsByJobId = new Map<number, Partial<Options>>();
  for (const { id, name, value } of rows.rows) {
    const partValue = JSON.parse(value);
    optionsByJobId.set(id, { ...optionsByJobId.get(id), ...(name === null ? partValue : { [name]: partValue }) });
  }
  return optionsByJobId;
}
