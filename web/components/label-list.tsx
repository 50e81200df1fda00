import type { Loaded } from '../api/call.ts';
import type { Label as LabelData, ProjectLabel } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { formatCount } from '../text/names.ts';
import { ActionButton } from './action-button.tsx';
import { Empty } from './empty.tsx';
import { Form, readText, TextField } from './form.tsx';
import { Label } from './label.tsx';
import { Pager } from './pager.tsx';
import { SearchForm } from './search-form.tsx';
import { ToggledForm } from './toggled-form.tsx';

/** A label of a list: only those of projects have a priority. */
type ListedLabel = LabelData & Partial<Pick<ProjectLabel, 'priority' | 'is_project_label'>>;

interface LabelAttributes {
  readonly name: string;
  readonly color: string;
  readonly description: string;
  /** Null for no priority; undefined for labels of groups, which have no priorities. */
  readonly priority?: number | null;
}

/** The calls that change the labels of a project or group. */
interface LabelCalls {
  readonly create: (attributes: LabelAttributes) => Promise<unknown>;
  readonly update: (id: number, attributes: LabelAttributes) => Promise<unknown>;
  readonly remove: (id: number) => Promise<unknown>;
  readonly setSubscribed: (id: number, isSubscribed: boolean) => Promise<unknown>;
}

interface LabelListProps {
  readonly labels: Loaded<readonly ListedLabel[]>;
  readonly calls: LabelCalls;
  readonly mayChange: boolean;
  /** Whether labels have priorities: those of projects. */
  readonly hasPriority: boolean;
  /** The address of this list, and of the list of issues. */
  readonly href: string;
  readonly issuesHref: string;
  /** The path below /api/v4 that creates a label. */
  readonly apiPath: string;
  readonly location: PageLocation;
}

/** The labels of a project or group, with forms for users who may create and change them. */
export function LabelList(props: LabelListProps) {
  const { labels, calls, mayChange, hasPriority, href, apiPath, location } = props;
  return (
    <>
      <SearchForm action={href} search={location.search} />
      <ToggledForm button="New label" isPrimary isOffered={mayChange}>
        {(close) => (
          <LabelForm label={null} hasPriority={hasPriority} location={location} close={close} save={calls.create} />
        )}
      </ToggledForm>
      {labels.value.length === 0 ? (
        <Empty
          title="No labels"
          text="Labels sort issues, merge requests and epics."
          create={{ path: apiPath, data: 'name=fault&color=#d9534f' }}
          location={location}
        />
      ) : (
        <ul class="rows">
          {labels.value.map((label) => (
            <li key={label.id} class="row">
              <LabelRow {...props} label={label} />
            </li>
          ))}
        </ul>
      )}
      <Pager list={labels} search={location.search} href={href} />
    </>
  );
}

function LabelRow({
  label,
  calls,
  mayChange,
  hasPriority,
  issuesHref,
  location,
}: LabelListProps & { readonly label: ListedLabel }) {
  const isOwn = label.is_project_label !== false;
  const ofLabel = <span class="hidden"> label {label.name}</span>;
  return (
    <div class="row-main">
      <ToggledForm
        button={<>Edit{ofLabel}</>}
        isOffered={mayChange && isOwn}
        content={
          <>
            <Label label={label} href={`${issuesHref}?${new URLSearchParams({ labels: label.name })}`} />{' '}
            {label.priority == null ? null : <span class="badge">priority {label.priority}</span>}{' '}
            {isOwn ? null : <span class="badge">of a group</span>}{' '}
            {label.archived ? <span class="badge">archived</span> : null}
            {label.description ? (
              <p>
                <bdi>{label.description}</bdi>
              </p>
            ) : null}
            <p class="quiet">
              {formatCount(label.open_issues_count ?? 0, 'open issue')},{' '}
              {formatCount(label.open_merge_requests_count ?? 0, 'open merge request')}
            </p>
          </>
        }
        actions={
          <>
            <ActionButton
              location={location}
              run={() => calls.setSubscribed(label.id, !label.subscribed)}
              done={
                label.subscribed
                  ? 'You no longer get notifications of this label.'
                  : 'You get notifications of this label.'
              }
            >
              {label.subscribed ? 'Unsubscribe' : 'Subscribe'}
              {ofLabel}
            </ActionButton>
            <ActionButton
              location={location}
              run={() => calls.remove(label.id)}
              done="The label was deleted."
              confirm={{
                title: `Delete the label ${label.name}?`,
                text: 'It is removed from all issues, merge requests and epics. This cannot be undone.',
                label: 'Delete label',
              }}
            >
              Delete{ofLabel}
            </ActionButton>
          </>
        }
      >
        {(close) => (
          <LabelForm
            label={label}
            hasPriority={hasPriority}
            location={location}
            close={close}
            save={(attributes) => calls.update(label.id, attributes)}
          />
        )}
      </ToggledForm>
    </div>
  );
}

function LabelForm({
  label,
  hasPriority,
  location,
  close,
  save,
}: {
  /** Null for a new label. */
  readonly label: ListedLabel | null;
  readonly hasPriority: boolean;
  readonly location: PageLocation;
  readonly close: () => void;
  readonly save: (attributes: LabelAttributes) => Promise<unknown>;
}) {
  return (
    <Form
      label={label === null ? 'New label' : `Label ${label.name}`}
      submitLabel={label === null ? 'Create label' : 'Save label'}
      location={location}
      done={label === null ? 'The label was created.' : 'The label was saved.'}
      onCancel={close}
      submit={async (values) => {
        const priority = readText(values, 'priority');
        await save({
          name: readText(values, 'name'),
          color: readText(values, 'color'),
          description: readText(values, 'description'),
          ...(hasPriority ? { priority: priority === '' ? null : Number(priority) } : {}),
        });
        close();
      }}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={255}
        defaultValue={label?.name}
        hint="Of labels such as part::door and part::grate, an issue has only one."
      />
      <TextField label="Colour" name="color" type="color" defaultValue={label?.color ?? '#a83d17'} />
      <TextField label="Description" name="description" maxLength={255} defaultValue={label?.description ?? ''} />
      {hasPriority ? (
        <TextField
          label="Priority"
          name="priority"
          type="number"
          min={0}
          defaultValue={label?.priority ?? ''}
          hint="The most important label has 0. Lists can be ordered by it."
        />
      ) : null}
    </Form>
  );
}
