import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createApiKey } from '../../lib/auth/api-keys.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { type Listed, Page, page } from '../../lib/http/lists.ts'
import { checked, type Fields, form, query } from '../../lib/http/validate.ts'
import {
  ConfirmForm,
  Copyable,
  Done,
  Field,
  NextPage,
  noticeFor,
  Problem,
  Table,
  Time,
} from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import {
  type ApiKey,
  addApiKey,
  findApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../lib/workspace/api-keys.queries.ts'
import { NewApiKey } from '../../lib/workspace/api-keys.schemas.ts'

const DONE = { revoked: 'API key revoked. Requests with it are rejected.' }

const KeyRow = ({ base, apiKey }: { base: string; apiKey: ApiKey }) => (
  <tr>
    <td>{apiKey.name}</td>
    <td>
      <Time at={apiKey.createdAt} />
    </td>
    <td>
      {apiKey.revokedAt ? (
        <>
          <span class="status" data-status="revoked">
            revoked
          </span>{' '}
          <Time at={apiKey.revokedAt} />
        </>
      ) : (
        <a href={`${base}/${apiKey.id}/revoke`}>
          Revoke<span class="hidden"> {apiKey.name}</span>
        </a>
      )}
    </td>
  </tr>
)

type Props = {
  base: string
  keys: Listed<ApiKey>
  url: string
  fields?: Fields
  errors?: ErrorDetail[]
  done?: string | undefined
}

const KeysPage = ({ base, keys, url, fields = {}, errors, done }: Props) => (
  <>
    <h1>API keys</h1>
    <Done message={done} />
    <Problem errors={errors} labels={{ name: 'Name' }} />
    <p>Your backend uses an API key to report leads and sales, and to read the results.</p>
    <form method="post" action={base} class="inline">
      <Field
        label="Name"
        name="name"
        hint="For example “Checkout”."
        required
        maxlength={255}
        autocomplete="off"
        value={fields.name}
        errors={errors}
      />
      <button type="submit">Create API key</button>
    </form>
    {keys.data.length === 0 ? (
      <p class="empty">No API keys yet. Create one to report leads and sales from your backend.</p>
    ) : (
      <Table caption="API keys" head={['Name', 'Created', 'Status']}>
        {keys.data.map((key) => (
          <KeyRow base={base} apiKey={key} />
        ))}
      </Table>
    )}
    <NextPage url={url} cursor={keys.nextCursor} />
  </>
)

const CreatedPage = ({ base, name, secret }: { base: string; name: string; secret: string }) => (
  <>
    <h1>Your new API key</h1>
    <div class="done" role="status">
      <p>
        API key “{name}” created. <strong>It is shown only once.</strong> Copy it to your backend’s secrets
        now.
      </p>
    </div>
    <Copyable label="the API key" text={secret} />
    <p>If the key is lost or exposed, revoke it and create a new one.</p>
    <p>
      <a href={base}>Back to API keys</a>
    </p>
  </>
)

const RevokePage = ({ base, apiKey }: { base: string; apiKey: ApiKey }) => (
  <>
    <h1>Revoke “{apiKey.name}”?</h1>
    <p>
      Requests with this key are rejected immediately, and this cannot be undone. If your backend still uses
      it, create a new key first.
    </p>
    <ConfirmForm button="Revoke key" cancel={base} />
  </>
)

/** /app/:workspace/api-keys: creates, lists and revokes API keys. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/api-keys', managersOnly(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const keys = page(await listApiKeys(db, workspace.id, { cursor, limit: limit + 1 }), limit)
    const base = `/app/${workspace.slug}/api-keys`
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <KeysPage {...{ base, keys, done }} url={c.req.url} />
    return renderPage(c, { title: 'API keys', section: '/api-keys', children })
  })
  .post('/app/:workspace/api-keys', managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}/api-keys`
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewApiKey, { name: fields.name ?? '' })
    if (errors) {
      const { limit } = Page.parse({})
      const keys = page(await listApiKeys(db, workspace.id, { limit: limit + 1 }), limit)
      const children = <KeysPage {...{ base, keys, fields, errors }} url={c.req.url} />
      return renderPage(c, { title: 'API keys', section: '/api-keys', children }, 400)
    }
    // No redirect: the key is in this response only.
    const { key, hash } = await createApiKey()
    const { name } = await addApiKey(db, actOf(c), { name: data.name, hash })
    const children = <CreatedPage base={base} name={name} secret={key} />
    return renderPage(c, { title: 'Your new API key', section: '/api-keys', children })
  })
  .get('/app/:workspace/api-keys/:id/revoke', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const key = await found('API key', c.req.param('id'), (id) => findApiKey(db, workspace.id, id))
    const children = <RevokePage base={`/app/${workspace.slug}/api-keys`} apiKey={key} />
    return renderPage(c, { title: 'Revoke an API key', section: '/api-keys', children })
  })
  .post('/app/:workspace/api-keys/:id/revoke', managersOnly(), async (c) => {
    await found('API key', c.req.param('id'), (id) => revokeApiKey(c.var.db, actOf(c), id))
    return c.redirect(`/app/${c.var.workspace.slug}/api-keys?done=revoked`, 303)
  })
