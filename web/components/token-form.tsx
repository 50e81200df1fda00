import { useEffect, useRef } from 'preact/hooks';
import type { ParamsOf, ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { Form, readText, TextField } from './form.tsx';

/** A token with its secret, as the server returns it once. */
export type TokenSecret = Pick<ResultOf<'POST /user/personal_access_tokens'>, 'name' | 'token'>;

type Scope = Extract<ParamsOf<'POST /user/personal_access_tokens'>['scopes'], readonly unknown[]>[number];

/** The scopes with an effect on this server, and descriptions of what they allow. */
const SCOPES: readonly (readonly [scope: Scope, text: string])[] = [
  ['api', 'Do everything that you may do.'],
  ['read_api', 'Read everything that you may read.'],
  ['read_user', 'Read your profile, and other users.'],
  ['read_repository', 'Read repositories with git and through the API.'],
  ['write_repository', 'Read and change repositories with git.'],
  ['create_runner', 'Create runners.'],
  ['manage_runner', 'Manage your runners.'],
  ['self_rotate', 'Replace the token itself by a new one.'],
];
const ADMINISTRATOR_SCOPES: typeof SCOPES = [['sudo', 'Act as any user.']];

/** The form for a new personal access token. */
export function TokenForm({
  isAdministrator,
  onCreated,
  location,
}: {
  readonly isAdministrator: boolean;
  readonly onCreated: (secret: TokenSecret) => void;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const create = async (values: FormData) => {
    const expiresAt = readText(values, 'expires_at');
    const { value } = await client.call('POST /user/personal_access_tokens', {
      name: readText(values, 'name'),
      description: readText(values, 'description'),
      scopes: values.getAll('scopes') as Scope[],
      ...(expiresAt === '' ? {} : { expires_at: expiresAt }),
    });
    onCreated(value);
  };
  return (
    <Form
      label="New token"
      submitLabel="Create token"
      submit={create}
      location={location}
      done="The token was created. It is shown above."
    >
      <TextField label="Name" name="name" required maxLength={255} autocomplete="off" />
      <TextField label="Description" name="description" autocomplete="off" />
      <TextField
        label="Expires on"
        name="expires_at"
        type="date"
        hint="If empty, the latest date that this server allows."
      />
      <fieldset class="plain">
        <legend>Scopes</legend>
        {[...SCOPES, ...(isAdministrator ? ADMINISTRATOR_SCOPES : [])].map(([scope, text]) => (
          <div key={scope} class="choice">
            <label>
              <input type="checkbox" name="scopes" value={scope} /> <code>{scope}</code>
            </label>{' '}
            <span class="quiet">{text}</span>
          </div>
        ))}
      </fieldset>
    </Form>
  );
}

/** A new token, which is shown only now. It takes the focus. */
export function NewToken({ secret: { name, token } }: { readonly secret: TokenSecret }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const copy = () => void navigator.clipboard.writeText(token);
  return (
    <div class="note good">
      <div class="field">
        <label for="new-token">
          The new token “<bdi>{name}</bdi>”
        </label>
        <input ref={field} id="new-token" type="text" readOnly value={token} aria-describedby="new-token-note" />{' '}
        {/* Browsers have no clipboard for pages without https. */}
        {globalThis.isSecureContext ? (
          <button type="button" onClick={copy}>
            Copy
          </button>
        ) : null}
      </div>
      <p id="new-token-note">Store it now: the server keeps no copy, and this page shows it only once.</p>
    </div>
  );
}
