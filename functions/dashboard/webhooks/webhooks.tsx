import type { Context } from 'hono'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Done, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import {
  ENDPOINT_LABELS,
  EndpointForm,
  EndpointStatus,
  endpointFields,
  readEndpoint,
  SecretPage,
} from '../../../lib/pages/parts/webhooks.tsx'
import { Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  type EndpointRow,
  listEndpoints,
} from '../../../lib/webhooks/endpoints/endpoints.queries.ts'
import {
  createEndpoint,
  TOO_MANY_ENDPOINTS,
  type WebhookSettingsEnv,
} from '../../../lib/webhooks/endpoints/settings.service.ts'
import { MAX_ENDPOINTS } from '../../../lib/webhooks/types.ts'
import { NewWebhookEndpoint } from '../../../lib/webhooks/webhooks.schemas.ts'

const DONE = { removed: m.webhooks_endpoint_removed_nothing }

const EndpointTable = ({ base, endpoints }: { base: string; endpoints: EndpointRow[] }) => (
  <Table
    caption={t(m.webhooks_endpoints_caption)}
    head={[t(m.webhooks_endpoint), t(m.webhooks_events), t(m.status), t(m.created_column)]}
  >
    {endpoints.map((endpoint) => (
      <tr>
        <td class="words">
          <a href={`${base}/${endpoint.id}`}>{endpoint.url}</a>
          <br />
          {endpoint.description}
        </td>
        <td class="words">{endpoint.types.join(', ')}</td>
        <td>
          <EndpointStatus {...endpoint} />
        </td>
        <TimeCell at={endpoint.createdAt} />
      </tr>
    ))}
  </Table>
)

type Shown = { fields?: Fields; errors?: ErrorDetail[]; message?: string }

const showEndpoints = async (
  c: Context<WebhookSettingsEnv>,
  { fields, errors, message }: Shown = {},
) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}/webhooks`
  const endpoints = await listEndpoints(db, workspace.id, { limit: MAX_ENDPOINTS })
  const done = noticeFor(DONE, c.req.query('done'))
  const children = (
    <>
      <h1>{t(m.layout_webhooks)}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={ENDPOINT_LABELS} message={message} />
      <p>{t(m.webhooks_backend_receives_happens, { link: linkTo(`${base}/deliveries`) })}</p>
      {endpoints.length === 0 ? (
        <p class="empty">{t(m.webhooks_no_endpoints_yet)}</p>
      ) : (
        <EndpointTable base={base} endpoints={endpoints} />
      )}
      <h2>{t(m.webhooks_new_endpoint)}</h2>
      <EndpointForm
        action={base}
        button={t(m.webhooks_add_endpoint)}
        fields={fields ?? endpointFields()}
        errors={errors}
      />
    </>
  )
  return renderSection(c, '/webhooks', m.layout_webhooks, children, errors || message ? 400 : 200)
}

/** /app/:workspace/webhooks: adds and lists webhook endpoints. Managers only. */
export default createRoutes<WebhookSettingsEnv>()
  .get('/app/:workspace/webhooks', (c) => showEndpoints(c))
  .post('/app/:workspace/webhooks', freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewWebhookEndpoint, readEndpoint(fields))
    if (errors) return showEndpoints(c, { fields, errors })
    const created = await createEndpoint(c, data)
    if (created.outcome === 'refused') return showEndpoints(c, { fields, errors: [created.error] })
    if (created.outcome === 'full') return showEndpoints(c, { fields, message: TOO_MANY_ENDPOINTS })
    // No redirect: the secret is in this response only.
    const { endpoint, secret } = created
    const path = `/app/${c.var.workspace.slug}/webhooks/${endpoint.id}`
    const children = (
      <SecretPage
        title={textsOf(c)(m.webhooks_new_webhook_endpoint)}
        endpoint={path}
        secret={secret}
      />
    )
    return renderSection(c, '/webhooks', m.webhooks_new_webhook_endpoint, children)
  })
