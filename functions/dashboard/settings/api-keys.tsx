import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createApiKey } from '../../../lib/auth/keys/api-keys.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { type Listed, Page, page } from '../../../lib/http/lists.ts'
import { checked, type Fields, form, query } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, controls, Field } from '../../../lib/pages/forms/fields.tsx'
import { Done, noticeFor, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import {
  CreatedKeyPage,
  RevokeKeyPage,
  RotateKeyPage,
} from '../../../lib/pages/parts/api-key-pages.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  type ApiKey,
  addApiKey,
  findApiKey,
  KEY_ENDED,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../../lib/tenancy/keys/api-keys.queries.ts'
import { NewApiKey, Rotation } from '../../../lib/tenancy/keys/api-keys.schemas.ts'
import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  DEFAULT_SCOPES,
} from '../../../lib/tenancy/keys/api-keys.ts'

const DONE = { revoked: m.keys_revoked_notice }

const LABELS = { name: m.layout_name, scopes: m.keys_scopes, expiresAt: m.keys_expires_after }

const SCOPE_LABELS: Record<ApiKeyScope, Message> = {
  track: m.keys_scope_track,
  read: m.keys_scope_read,
  write: m.keys_scope_write,
  clicks: m.keys_scope_clicks,
}

const isExpired = ({ expiresAt }: ApiKey, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now

const KeyRow = ({ base, apiKey, now }: { base: string; apiKey: ApiKey; now: Date }) => (
  <tr>
    <td>
      {apiKey.name} <code class="nowrap">…{apiKey.last4}</code>
    </td>
    <td>{apiKey.scopes.join(', ')}</td>
    <td>{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} /> : t(m.layout_never)}</td>
    <td>{apiKey.expiresAt ? <Time at={apiKey.expiresAt} /> : t(m.layout_never)}</td>
    <TimeCell at={apiKey.createdAt} />
    <td>
      {apiKey.revokedAt ? (
        <>
          <Status status="revoked" label={t(m.keys_revoked)} /> <Time at={apiKey.revokedAt} />
        </>
      ) : (
        <>
          {isExpired(apiKey, now) && (
            <>
              <Status status="revoked" label={t(m.keys_expired)} />{' '}
            </>
          )}
          {apiKey.replacedBy === null && !isExpired(apiKey, now) && (
            <>
              <a href={`${base}/${apiKey.id}/rotate`}>
                {t(m.keys_rotate_name, { name: apiKey.name, hidden })}
              </a>{' '}
            </>
          )}
          <a href={`${base}/${apiKey.id}/revoke`}>
            {t(m.keys_revoke_name, { name: apiKey.name, hidden })}
          </a>
        </>
      )}
    </td>
  </tr>
)

type Props = {
  base: string
  now: Date
  keys: Listed<ApiKey>
  url: string
  fields?: Fields
  errors?: ErrorDetail[]
  done?: Shown | undefined
}

/** The fields of a new form: the scopes that most backends need. */
const NEW_FIELDS: Fields = Object.fromEntries(DEFAULT_SCOPES.map((scope) => [scope, 'on']))

/** A form's fields as API input. A key works until the end of the chosen day. */
const readForm = (fields: Fields): unknown => ({
  name: fields.name ?? '',
  scopes: API_KEY_SCOPES.filter((scope) => fields[scope] !== undefined),
  expiresAt: fields.expiresAt && `${fields.expiresAt}T23:59:59Z`,
})

const KeysPage = ({ base, now, keys, url, fields = NEW_FIELDS, errors, done }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <h1>{t(m.layout_keys)}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <p>{t(m.keys_intro)}</p>
      <form method="post" action={base}>
        <Field
          {...control('name')}
          hint={t(m.keys_name_hint)}
          required
          maxlength={255}
          autocomplete="off"
        />
        <fieldset id="scopes">
          <legend>{t(LABELS.scopes)}</legend>
          {API_KEY_SCOPES.map((scope) => (
            <Checkbox
              label={t(SCOPE_LABELS[scope])}
              name={scope}
              checked={fields[scope] !== undefined}
            />
          ))}
        </fieldset>
        <Field {...control('expiresAt')} type="date" hint={t(m.keys_expires_hint)} />
        <Submit>{t(m.keys_create)}</Submit>
      </form>
      {keys.data.length === 0 ? (
        <p class="empty">{t(m.keys_none_yet)}</p>
      ) : (
        <Table
          caption={t(m.layout_keys)}
          head={[
            t(m.layout_name),
            t(m.keys_scopes),
            t(m.last_used_column),
            t(m.keys_expires),
            t(m.created_column),
            t(m.status),
          ]}
        >
          {keys.data.map((key) => (
            <KeyRow base={base} apiKey={key} now={now} />
          ))}
        </Table>
      )}
      <NextPage url={url} cursor={keys.nextCursor} />
    </>
  )
}

/** /app/:workspace/api-keys: creates, lists, rotates and revokes API keys. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/api-keys', query(Page), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const keys = page(await listApiKeys(db, workspace.id, { cursor, limit: limit + 1 }), limit)
    const base = `/app/${workspace.slug}/api-keys`
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <KeysPage {...{ base, now, keys, done }} url={c.req.url} />
    return renderSection(c, '/api-keys', m.layout_keys, children)
  })
  .post('/app/:workspace/api-keys', freshMembersOnly(), form(), async (c) => {
    const { db, now, workspace } = c.var
    const base = `/app/${workspace.slug}/api-keys`
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewApiKey, readForm(fields))
    if (errors) {
      const { limit } = Page.parse({})
      const keys = page(await listApiKeys(db, workspace.id, { limit: limit + 1 }), limit)
      const children = <KeysPage {...{ base, now, keys, fields, errors }} url={c.req.url} />
      return renderSection(c, '/api-keys', m.layout_keys, children, 400)
    }
    // No redirect: the key is in this response only.
    const { key, ...stored } = await createApiKey(workspace)
    const { name } = await addApiKey(db, actOf(c), { ...data, ...stored })
    const children = <CreatedKeyPage base={base} name={name} secret={key} />
    return renderSection(c, '/api-keys', m.keys_new, children)
  })
  .get('/app/:workspace/api-keys/:id/rotate', async (c) => {
    const { workspace } = c.var
    const key = await readById(c, 'API key', findApiKey)
    const children = <RotateKeyPage base={`/app/${workspace.slug}/api-keys`} apiKey={key} />
    return renderSection(c, '/api-keys', m.keys_rotate_title, children)
  })
  .post('/app/:workspace/api-keys/:id/rotate', freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}/api-keys`
    const { overlapHours } = c.req.valid('form')
    const { data, errors } = checked(Rotation, { overlapHours: Number(overlapHours || Number.NaN) })
    const { key: secret, ...stored } = await createApiKey(workspace)
    const fresh = await found('API key', c.req.param('id'), async (id) =>
      data
        ? rotateApiKey(db, actOf(c), id, { ...stored, ...data })
        : findApiKey(db, workspace.id, id),
    )
    if (fresh === 'ended' || errors) {
      const apiKey = await readById(c, 'API key', findApiKey)
      const problems = errors ?? [{ path: '', message: KEY_ENDED }]
      const children = <RotateKeyPage base={base} apiKey={apiKey} errors={problems} />
      return renderSection(c, '/api-keys', m.keys_rotate_title, children, errors ? 400 : 409)
    }
    const children = <CreatedKeyPage base={base} name={fresh.name} secret={secret} />
    return renderSection(c, '/api-keys', m.keys_new, children)
  })
  .get('/app/:workspace/api-keys/:id/revoke', async (c) => {
    const { workspace } = c.var
    const key = await readById(c, 'API key', findApiKey)
    const children = <RevokeKeyPage base={`/app/${workspace.slug}/api-keys`} apiKey={key} />
    return renderSection(c, '/api-keys', m.keys_revoke_title, children)
  })
  .post('/app/:workspace/api-keys/:id/revoke', freshMembersOnly(), async (c) => {
    await changeById(c, 'API key', revokeApiKey)
    return c.redirect(`/app/${c.var.workspace.slug}/api-keys?done=revoked`, 303)
  })
