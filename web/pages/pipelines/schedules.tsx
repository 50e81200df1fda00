import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { Pager } from '../../components/pager.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { can, projectQueries } from '../../components/project-navigation.tsx';
import { ScheduleForm, shortenRef } from '../../components/schedule-form.tsx';
import { Time } from '../../components/time.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Schedule = ResultOf<'GET /projects/:id/pipeline_schedules'>[number];

/** The schedules that run pipelines of a project. */
export const schedules = page('schedules', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    schedules: query('GET /projects/:id/pipeline_schedules', { id, page: readPageNumber(search) }),
  }),
  title: () => 'Pipeline schedules',
  navigation: (props) => <PipelinesNavigation {...props} current="schedules" />,
  render: ({ project: { value: project }, abilities, schedules, location, location: { search, toUrl, values } }) => (
    <>
      {can(abilities, 'update_pipeline') ? (
        <NewSchedule project={project.id} defaultRef={project.default_branch ?? ''} location={location} />
      ) : null}
      {schedules.value.length === 0 ? (
        <Empty
          title="No schedules"
          text="Pipelines that run at certain times appear here, such as nightly builds."
          create={{
            path: `/projects/${project.id}/pipeline_schedules`,
            data: 'description=nightly&ref=main&cron=0 2 * * *',
          }}
          location={location}
        />
      ) : (
        <ul class="rows">
          {schedules.value.map((schedule) => (
            <ScheduleItem key={schedule.id} schedule={schedule} location={location} />
          ))}
        </ul>
      )}
      <Pager list={schedules} search={search} href={toUrl(toPath('schedules', values))} />
    </>
  ),
});

function NewSchedule({
  project,
  defaultRef,
  location,
}: {
  readonly project: number;
  readonly defaultRef: string;
  readonly location: PageLocation;
}) {
  const { openUrl } = usePageActions();
  const open = (id: number) =>
    openUrl(location.toUrl(toPath('schedule', { ...location.values, pipeline_schedule_id: String(id) })));
  return (
    <ToggledForm button="New schedule" isPrimary>
      {(close) => (
        <ScheduleForm
          project={project}
          schedule={null}
          defaultRef={defaultRef}
          close={close}
          onCreated={open}
          location={location}
        />
      )}
    </ToggledForm>
  );
}

function ScheduleItem({
  schedule: { id, description, ref, cron, cron_timezone, next_run_at, active, owner },
  location: { toUrl, values },
}: {
  readonly schedule: Schedule;
  readonly location: PageLocation;
}) {
  return (
    <li class="row">
      <div class="row-main">
        <a class="row-title" href={toUrl(toPath('schedule', { ...values, pipeline_schedule_id: String(id) }))}>
          {description}
        </a>{' '}
        {active ? null : <span class="badge">inactive</span>}
        <p class="quiet">
          <bdi>{shortenRef(ref)}</bdi> · <code>{cron}</code> {cron_timezone}
        </p>
      </div>
      <div class="row-facts quiet">
        {owner === null ? <span>no owner</span> : <bdi>{owner.name}</bdi>}
        {active ? (
          <span>
            next <Time value={next_run_at} />
          </span>
        ) : null}
      </div>
    </li>
  );
}
