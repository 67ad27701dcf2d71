import type { Context } from 'hono'
import { actOf } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { strong } from '../../../lib/pages/parts/tags.tsx'
import {
  ENDPOINT_PAGE_LABELS,
  PostForm,
  ResendForm,
  SecretForm,
} from '../../../lib/pages/parts/webhook-endpoint.tsx'
import {
  DeliveryTable,
  EndpointForm,
  EndpointStatus,
  endpointFields,
  readEndpoint,
  SecretPage,
} from '../../../lib/pages/parts/webhooks.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  deliveriesQuery,
  resendSince,
} from '../../../lib/webhooks/deliveries/deliveries.queries.ts'
import {
  type EndpointRow,
  findEndpoint,
  queueTest,
  removeEndpoint,
} from '../../../lib/webhooks/endpoints/endpoints.queries.ts'
import {
  ENDPOINT_DISABLED,
  editEndpoint,
  rotateSecret,
  type WebhookSettingsEnv,
} from '../../../lib/webhooks/endpoints/settings.service.ts'
import {
  SecretRotation,
  WebhookEndpointChange,
  WebhookResend,
} from '../../../lib/webhooks/webhooks.schemas.ts'

const DONE = {
  saved: m.webhooks_endpoint_saved,
  enabled: m.webhooks_endpoint_enabled_events,
  disabled: m.webhooks_endpoint_disabled_nothing,
  resent: m.webhooks_events_being_sent,
  partly: m.webhooks_oldest_40_000,
}

/** Deliveries on the endpoint's page. The list of deliveries has all. */
const LATEST = 20

const endpointOf = (c: Context<WebhookSettingsEnv>) => readById(c, 'webhook endpoint', findEndpoint)

const pathOf = (c: Context<WebhookSettingsEnv>, { id }: Pick<EndpointRow, 'id'>) =>
  `/app/${c.var.workspace.slug}/webhooks/${id}`

type Shown = { fields?: Fields; resend?: Fields; errors?: ErrorDetail[]; message?: string }

const showEndpoint = async (
  c: Context<WebhookSettingsEnv>,
  endpoint: EndpointRow,
  shown: Shown = {},
) => {
  const { db, now, workspace } = c.var
  const t = textsOf(c)
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
  const done = noticeFor(DONE, c.req.query('done'))
  const children = (
    <>
      <h1>{t(m.webhooks_endpoint_title)}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={ENDPOINT_PAGE_LABELS} message={message} />
      <p class="words">
        <code>{endpoint.url}</code>
      </p>
      <p>
        <EndpointStatus {...endpoint} />
      </p>
      <div class="actions">
        {disabledAt ? (
          <PostForm action={`${path}/enable`} button={t(m.webhooks_enable_endpoint)} />
        ) : (
          <>
            <PostForm action={`${path}/test`} button={t(m.webhooks_send_test_event)} />
            <PostForm action={`${path}/disable`} button={t(m.webhooks_disable_endpoint)} />
          </>
        )}
      </div>
      <h2>{t(m.webhooks_latest_deliveries)}</h2>
      {deliveries.length > 0 ? (
        <>
          <DeliveryTable base={base} deliveries={deliveries} />
          <LinkLine href={`${base}/deliveries?endpointId=${endpoint.id}`}>
            {t(m.webhooks_deliveries_endpoint)}
          </LinkLine>
        </>
      ) : (
        <p class="empty">{t(m.webhooks_nothing_sent_endpoint)}</p>
      )}
      {!disabledAt && (
        <>
          <h2>{t(m.webhooks_resending)}</h2>
          <ResendForm action={`${path}/resend`} fields={resend} errors={errors} />
        </>
      )}
      <h2>{t(m.layout_settings)}</h2>
      <EndpointForm
        action={path}
        button={t(m.webhooks_save_endpoint)}
        fields={fields}
        errors={errors}
      />
      <h2>{t(m.layout_signing_secret)}</h2>
      <SecretForm
        action={`${path}/rotate-secret`}
        until={formerUntil && formerUntil > now ? formerUntil : null}
        errors={errors}
      />
      <h2>{t(m.webhooks_removal)}</h2>
      <LinkLine href={`${path}/remove`}>{t(m.webhooks_remove_this_endpoint)}</LinkLine>
    </>
  )
  return renderSection(
    c,
    '/webhooks',
    m.webhooks_endpoint_title,
    children,
    errors || message ? 400 : 200,
  )
}

const setEnabled = (enabled: boolean) => async (c: Context<WebhookSettingsEnv>) => {
  const endpoint = await endpointOf(c)
  await editEndpoint(c, endpoint, { enabled })
  return c.redirect(`${pathOf(c, endpoint)}?done=${enabled ? 'enabled' : 'disabled'}`, 303)
}

const ENDPOINT = '/app/:workspace/webhooks/:id{[0-9a-f-]{36}}'

/** /app/:workspace/webhooks/:id: one endpoint with its settings and deliveries. Managers only. */
export default createRoutes<WebhookSettingsEnv>()
  .get(ENDPOINT, async (c) => showEndpoint(c, await endpointOf(c)))
  .post(ENDPOINT, freshMembersOnly(), form(), async (c) => {
    const endpoint = await endpointOf(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(WebhookEndpointChange, readEndpoint(fields))
    if (errors) return showEndpoint(c, endpoint, { fields, errors })
    const changed = await editEndpoint(c, endpoint, data)
    if (!changed) throw notFound('webhook endpoint')
    if ('outcome' in changed) return showEndpoint(c, endpoint, { fields, errors: [changed.error] })
    return c.redirect(`${pathOf(c, endpoint)}?done=saved`, 303)
  })
  .post(`${ENDPOINT}/enable`, freshMembersOnly(), setEnabled(true))
  .post(`${ENDPOINT}/disable`, freshMembersOnly(), setEnabled(false))
  .post(`${ENDPOINT}/test`, async (c) => {
    const endpoint = await endpointOf(c)
    if (endpoint.disabledAt) return showEndpoint(c, endpoint, { message: ENDPOINT_DISABLED })
    const id = await queueTest(c.var.db, actOf(c), endpoint.id)
    return c.redirect(`/app/${c.var.workspace.slug}/webhooks/deliveries/${id}?done=queued`, 303)
  })
  .post(`${ENDPOINT}/resend`, form(), async (c) => {
    const endpoint = await endpointOf(c)
    const resend = c.req.valid('form')
    const since = resend.since ? `${resend.since}${resend.since.length === 16 ? ':00' : ''}Z` : ''
    const { data, errors } = checked(WebhookResend, {
      since,
      onlyFailed: resend.onlyFailed !== undefined,
    })
    if (errors) return showEndpoint(c, endpoint, { resend, errors })
    if (endpoint.disabledAt) return showEndpoint(c, endpoint, { message: ENDPOINT_DISABLED })
    const { continueFrom } = await resendSince(c.var.db, actOf(c), endpoint.id, data)
    const rest = continueFrom && `partly&since=${continueFrom.toISOString().slice(0, 16)}`
    return c.redirect(`${pathOf(c, endpoint)}?done=${rest ?? 'resent'}`, 303)
  })
  .post(`${ENDPOINT}/rotate-secret`, freshMembersOnly(), form(), async (c) => {
    const endpoint = await endpointOf(c)
    const { overlapHours } = c.req.valid('form')
    const hours = overlapHours?.trim() ? Number(overlapHours) : Number.NaN
    const { data, errors } = checked(SecretRotation, { overlapHours: hours })
    if (errors) return showEndpoint(c, endpoint, { errors })
    const rotated = await rotateSecret(c, endpoint, data.overlapHours)
    if (!rotated) throw notFound('webhook endpoint')
    const children = (
      <SecretPage
        title={textsOf(c)(m.webhooks_new_signing_secret)}
        endpoint={pathOf(c, endpoint)}
        secret={rotated.secret}
      />
    )
    return renderSection(c, '/webhooks', m.webhooks_new_signing_secret, children)
  })
  .get(`${ENDPOINT}/remove`, async (c) => {
    const t = textsOf(c)
    const endpoint = await endpointOf(c)
    const children = (
      <>
        <h1>{t(m.webhooks_remove_webhook_endpoint)}</h1>
        <p>{t(m.webhooks_nothing_more_sent, { url: endpoint.url, strong })}</p>
        <ConfirmForm button={t(m.webhooks_remove_endpoint)} cancel={pathOf(c, endpoint)} />
      </>
    )
    return renderSection(c, '/webhooks', m.webhooks_remove_title, children)
  })
  .post(`${ENDPOINT}/remove`, freshMembersOnly(), async (c) => {
    await removeEndpoint(c.var.db, actOf(c), await endpointOf(c))
    return c.redirect(`/app/${c.var.workspace.slug}/webhooks?done=removed`, 303)
  })
