import { actOf, managersOnly } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { Empty, Filters, readFilters } from '../../lib/pages/filters.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, noticeFor, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { DeliveryTable, resultOf } from '../../lib/pages/webhooks.tsx'
import {
  type DeliveryDetail,
  deliveriesQuery,
  findDelivery,
  resendDelivery,
} from '../../lib/webhooks/deliveries.queries.ts'
import type { WebhookSettingsEnv } from '../../lib/webhooks/settings.service.ts'
import { WebhookDeliveryQuery } from '../../lib/webhooks/webhooks.schemas.ts'

const DONE = { queued: 'The event is being sent. Reload this page to see the answer.' }

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'queued', label: 'Queued' },
  { value: 'retrying', label: 'Retrying' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
]

const Detail = ({
  base,
  delivery,
  done,
}: {
  base: string
  delivery: DeliveryDetail
  done: string | undefined
}) => (
  <>
    <h1>
      Delivery of <code>{delivery.type}</code>
    </h1>
    <Done message={done} />
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status status={delivery.status === 'delivered' ? 'sent' : delivery.status} label={delivery.status} />
        {delivery.nextAttemptAt && (
          <>
            , next attempt <Time at={delivery.nextAttemptAt} />
          </>
        )}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={delivery.createdAt} />
      </dd>
      <dt>Event ID</dt>
      <dd>
        <code>{delivery.eventId}</code>
      </dd>
      <dt>Endpoint</dt>
      <dd>
        <a href={`${base}/${delivery.endpointId}`}>View endpoint</a>
      </dd>
    </dl>
    <form method="post" action={`${base}/deliveries/${delivery.id}/resend`}>
      <p>
        <button type="submit">Resend event</button>
      </p>
    </form>
    <h2>Requests</h2>
    {delivery.tries.length > 0 ? (
      <Table caption="Requests" head={['Sent', 'Result', { number: 'Milliseconds' }, 'Response']}>
        {delivery.tries.map(({ at, status, error, ms, response }) => (
          <tr>
            <td>
              <Time at={new Date(at)} />
            </td>
            <td class="words">{resultOf(status, error)}</td>
            <td class="number">{ms}</td>
            <td class="words">{response && <code>{response}</code>}</td>
          </tr>
        ))}
      </Table>
    ) : (
      <p class="empty">Not sent yet.</p>
    )}
    <h2>Payload</h2>
    {delivery.payload ? (
      <pre>
        <code>{JSON.stringify(JSON.parse(delivery.payload), null, 2)}</code>
      </pre>
    ) : (
      <p class="empty">None is stored: it is made for the first request, and removed by an erasure.</p>
    )}
  </>
)

/** /app/:workspace/webhooks/deliveries: what was sent, the answers, and resending. Managers only. */
export default createRoutes<WebhookSettingsEnv>()
  .get('/app/:workspace/webhooks/deliveries', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}/webhooks`
    const { fields, data, errors } = readFilters(c, WebhookDeliveryQuery)
    const rows = data
      ? await deliveriesQuery(db, workspace.id, { ...data, limit: data.limit + 1 }).execute()
      : []
    const { data: deliveries, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>Webhook deliveries</h1>
        <Filters
          what="deliveries"
          path={`${base}/deliveries`}
          fields={fields}
          errors={errors}
          filters={[{ name: 'status', label: 'Status', options: STATUSES }]}
          linked={{ endpointId: 'One endpoint' }}
        />
        {deliveries.length > 0 ? (
          <DeliveryTable base={base} deliveries={deliveries} />
        ) : (
          <Empty what="deliveries" isFiltered={Object.keys(fields).length > 0}>
            No deliveries yet. They appear here once an event was sent to an endpoint.
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
        <p>
          <a href={base}>Endpoints</a>
        </p>
      </>
    )
    return renderPage(c, { title: 'Webhook deliveries', section: '/webhooks', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/webhooks/deliveries/:id', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const delivery = await found('webhook delivery', c.req.param('id'), (id) =>
      findDelivery(db, workspace.id, id),
    )
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <Detail base={`/app/${workspace.slug}/webhooks`} delivery={delivery} done={done} />
    return renderPage(c, { title: 'Webhook delivery', section: '/webhooks', children })
  })
  .post('/app/:workspace/webhooks/deliveries/:id/resend', managersOnly(), async (c) => {
    const delivery = await found('webhook delivery', c.req.param('id'), (id) =>
      resendDelivery(c.var.db, actOf(c), id),
    )
    return c.redirect(`/app/${c.var.workspace.slug}/webhooks/deliveries/${delivery.id}?done=queued`, 303)
  })
