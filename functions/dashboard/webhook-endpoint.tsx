import type { Context } from 'hono'
import { actOf, managersOnly } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { freshManagersOnly } from '../../lib/pages/fresh-sign-in.tsx'
import { ConfirmForm, Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { ENDPOINT_PAGE_LABELS, PostForm, ResendForm, SecretForm } from '../../lib/pages/webhook-endpoint.tsx'
import {
  DeliveryTable,
  EndpointForm,
  EndpointStatus,
  endpointFields,
  readEndpoint,
  SecretPage,
} from '../../lib/pages/webhooks.tsx'
import { deliveriesQuery, resendSince } from '../../lib/webhooks/deliveries.queries.ts'
import {
  type EndpointRow,
  findEndpoint,
  queueTest,
  removeEndpoint,
} from '../../lib/webhooks/endpoints.queries.ts'
import {
  ENDPOINT_DISABLED,
  editEndpoint,
  rotateSecret,
  type WebhookSettingsEnv,
} from '../../lib/webhooks/settings.service.ts'
import { SecretRotation, WebhookEndpointChange, WebhookResend } from '../../lib/webhooks/webhooks.schemas.ts'

const DONE = {
  saved: 'Endpoint saved.',
  enabled: 'Endpoint enabled. Events from now on are sent to it.',
  disabled: 'Endpoint disabled. Nothing is sent to it.',
  resent: 'The events are being sent again.',
  partly: 'The oldest 40,000 of these events are being sent again. Resend the rest from the time below.',
}

/** Shown on the endpoint's page; the list of deliveries has all. */
const LATEST = 20

const endpointOf = (c: Context<WebhookSettingsEnv>) =>
  found('webhook endpoint', c.req.param('id') ?? '', (id) => findEndpoint(c.var.db, c.var.workspace.id, id))

const pathOf = (c: Context<WebhookSettingsEnv>, { id }: Pick<EndpointRow, 'id'>) =>
  `/app/${c.var.workspace.slug}/webhooks/${id}`

type Shown = { fields?: Fields; resend?: Fields; errors?: ErrorDetail[]; message?: string }

const showEndpoint = async (c: Context<WebhookSettingsEnv>, endpoint: EndpointRow, shown: Shown = {}) => {
  const { db, now, workspace } = c.var
  const {
    errors,
    message,
    fields = endpointFields(endpoint),
    resend = { onlyFailed: 'on', since: c.req.query('since') ?? '' },
  } = shown
  const path = pathOf(c, endpoint)
  const base = `/app/${workspace.slug}/webhooks`
  const { formerUntil, disabledAt } = endpoint
  const deliveries = await deliveriesQuery(db, workspace.id, {
    endpointId: endpoint.id,
    limit: LATEST,
  }).execute()
  const children = (
    <>
      <h1>Webhook endpoint</h1>
      <Done message={noticeFor(DONE, c.req.query('done'))} />
      <Problem errors={errors} labels={ENDPOINT_PAGE_LABELS} message={message} />
      <p class="words">
        <code>{endpoint.url}</code>
      </p>
      <p>
        <EndpointStatus {...endpoint} />
      </p>
      <div class="actions">
        {disabledAt ? (
          <PostForm action={`${path}/enable`} button="Enable endpoint" />
        ) : (
          <>
            <PostForm action={`${path}/test`} button="Send test event" />
            <PostForm action={`${path}/disable`} button="Disable endpoint" />
          </>
        )}
      </div>
      <h2>Latest deliveries</h2>
      {deliveries.length > 0 ? (
        <>
          <DeliveryTable base={base} deliveries={deliveries} />
          <p>
            <a href={`${base}/deliveries?endpointId=${endpoint.id}`}>All deliveries to this endpoint</a>
          </p>
        </>
      ) : (
        <p class="empty">Nothing was sent to this endpoint yet. Send a test event.</p>
      )}
      {!disabledAt && (
        <>
          <h2>Resending</h2>
          <ResendForm action={`${path}/resend`} fields={resend} errors={errors} />
        </>
      )}
      <h2>Settings</h2>
      <EndpointForm action={path} button="Save endpoint" fields={fields} errors={errors} />
      <h2>Signing secret</h2>
      <SecretForm
        action={`${path}/rotate-secret`}
        until={formerUntil && formerUntil > now ? formerUntil : null}
        errors={errors}
      />
      <h2>Removal</h2>
      <p>
        <a href={`${path}/remove`}>Remove this endpoint</a>
      </p>
    </>
  )
  return renderPage(
    c,
    { title: 'Webhook endpoint', section: '/webhooks', children },
    errors || message ? 400 : 200,
  )
}

const setEnabled = (enabled: boolean) => async (c: Context<WebhookSettingsEnv>) => {
  const endpoint = await endpointOf(c)
  await editEndpoint(c, endpoint, { enabled })
  return c.redirect(`${pathOf(c, endpoint)}?done=${enabled ? 'enabled' : 'disabled'}`, 303)
}

const ENDPOINT = '/app/:workspace/webhooks/:id{[0-9a-f-]{36}}'

/** /app/:workspace/webhooks/:id: one endpoint, its latest deliveries and its settings. Managers only. */
export default createRoutes<WebhookSettingsEnv>()
  .get(ENDPOINT, managersOnly(), async (c) => showEndpoint(c, await endpointOf(c)))
  .post(ENDPOINT, freshManagersOnly(), form(), async (c) => {
    const endpoint = await endpointOf(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(WebhookEndpointChange, readEndpoint(fields))
    if (errors) return showEndpoint(c, endpoint, { fields, errors })
    const changed = await editEndpoint(c, endpoint, data)
    if (!changed) throw notFound('webhook endpoint')
    if ('outcome' in changed) return showEndpoint(c, endpoint, { fields, errors: [changed.error] })
    return c.redirect(`${pathOf(c, endpoint)}?done=saved`, 303)
  })
  .post(`${ENDPOINT}/enable`, freshManagersOnly(), setEnabled(true))
  .post(`${ENDPOINT}/disable`, freshManagersOnly(), setEnabled(false))
  .post(`${ENDPOINT}/test`, managersOnly(), async (c) => {
    const endpoint = await endpointOf(c)
    if (endpoint.disabledAt) return showEndpoint(c, endpoint, { message: ENDPOINT_DISABLED })
    const id = await queueTest(c.var.db, actOf(c), endpoint.id)
    return c.redirect(`/app/${c.var.workspace.slug}/webhooks/deliveries/${id}?done=queued`, 303)
  })
  .post(`${ENDPOINT}/resend`, managersOnly(), form(), async (c) => {
    const endpoint = await endpointOf(c)
    const resend = c.req.valid('form')
    const since = resend.since ? `${resend.since}${resend.since.length === 16 ? ':00' : ''}Z` : ''
    const { data, errors } = checked(WebhookResend, { since, onlyFailed: resend.onlyFailed !== undefined })
    if (errors) return showEndpoint(c, endpoint, { resend, errors })
    if (endpoint.disabledAt) return showEndpoint(c, endpoint, { message: ENDPOINT_DISABLED })
    const { continueFrom } = await resendSince(c.var.db, actOf(c), endpoint.id, data)
    const rest = continueFrom && `partly&since=${continueFrom.toISOString().slice(0, 16)}`
    return c.redirect(`${pathOf(c, endpoint)}?done=${rest ?? 'resent'}`, 303)
  })
  .post(`${ENDPOINT}/rotate-secret`, freshManagersOnly(), form(), async (c) => {
    const endpoint = await endpointOf(c)
    const { overlapHours } = c.req.valid('form')
    const hours = overlapHours?.trim() ? Number(overlapHours) : Number.NaN
    const { data, errors } = checked(SecretRotation, { overlapHours: hours })
    if (errors) return showEndpoint(c, endpoint, { errors })
    const rotated = await rotateSecret(c, endpoint, data.overlapHours)
    if (!rotated) throw notFound('webhook endpoint')
    const children = (
      <SecretPage title="Your new signing secret" endpoint={pathOf(c, endpoint)} secret={rotated.secret} />
    )
    return renderPage(c, { title: 'Your new signing secret', section: '/webhooks', children })
  })
  .get(`${ENDPOINT}/remove`, managersOnly(), async (c) => {
    const endpoint = await endpointOf(c)
    const children = (
      <>
        <h1>Remove this webhook endpoint?</h1>
        <p>
          Nothing more is sent to <strong>{endpoint.url}</strong>, and its signing secret is deleted. This
          cannot be undone.
        </p>
        <ConfirmForm button="Remove endpoint" cancel={pathOf(c, endpoint)} />
      </>
    )
    return renderPage(c, { title: 'Remove a webhook endpoint', section: '/webhooks', children })
  })
  .post(`${ENDPOINT}/remove`, freshManagersOnly(), async (c) => {
    await removeEndpoint(c.var.db, actOf(c), await endpointOf(c))
    return c.redirect(`/app/${c.var.workspace.slug}/webhooks?done=removed`, 303)
  })
