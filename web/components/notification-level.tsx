import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { PageLocation } from '../page.ts';
import { Form, readText, useDefaultOption } from './form.tsx';

/** A notification setting of the API. */
export interface NotificationSetting {
  readonly level: string;
  /** Whether mails are sent for each event, with the level `custom`. */
  readonly events?: object;
}

/** The values of the form: the level, and the events with the level `custom`. */
export type NotificationChange = { readonly level: string } & Readonly<Record<string, string | boolean>>;

const LEVELS: readonly (readonly [level: string, label: string])[] = [
  ['watch', 'Watch: everything'],
  ['participating', 'Participate: what you take part in'],
  ['mention', 'On mention: where you are mentioned'],
  ['custom', 'Custom: chosen events'],
  ['disabled', 'Disabled: nothing'],
];
const GLOBAL: (typeof LEVELS)[number] = ['global', 'Global: as chosen for your account'];

/** The form for one notification setting: the level, and with `custom` the events. */
export function NotificationForm({
  label,
  setting,
  save,
  isGlobal = false,
  location,
  children,
}: {
  readonly label: string;
  readonly setting: NotificationSetting;
  readonly save: (change: NotificationChange, form: FormData) => Promise<unknown>;
  /** Whether it is the global setting, which other settings can refer to. */
  readonly isGlobal?: boolean;
  readonly location: PageLocation;
  readonly children?: ComponentChildren;
}) {
  const [level, setLevel] = useState(setting.level);
  const id = useId();
  const select = useDefaultOption(setting.level);
  const events = Object.entries(setting.events ?? {}) as readonly (readonly [event: string, isOn: boolean])[];
  const submit = (form: FormData) => {
    const chosen = level === 'custom' ? events.map(([event]) => [event, form.has(event)] as const) : [];
    return save({ ...Object.fromEntries(chosen), level: readText(form, 'level') }, form);
  };
  return (
    <Form
      label={label}
      submitLabel="Save"
      submit={submit}
      location={location}
      done={`The notifications of ${label} were saved.`}
    >
      <div class="field">
        <label for={id}>Mails</label>
        <select ref={select} id={id} name="level" onChange={(event) => setLevel(event.currentTarget.value)}>
          {(isGlobal ? LEVELS : [GLOBAL, ...LEVELS]).map(([value, text]) => (
            <option key={value} value={value} selected={value === level}>
              {text}
            </option>
          ))}
        </select>
      </div>
      {level !== 'custom' ? null : events.length === 0 ? (
        <p class="quiet">Save the level to choose events.</p>
      ) : (
        <fieldset class="plain">
          <legend>Events</legend>
          <div class="choices">
            {events.map(([event, isOn]) => (
              <label key={event} class="choice">
                <input type="checkbox" name={event} defaultChecked={isOn} /> {describeEvent(event)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {children}
    </Form>
  );
}

/** Returns `New merge request` for `new_merge_request`. */
function describeEvent(event: string): string {
  const words = event.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
