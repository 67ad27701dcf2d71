import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Done, Fact, LinkLine, noticeFor, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { DeliveryTable, resultOf } from '../../../lib/pages/parts/webhooks.tsx'
import { readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, Empty, Filters } from '../../../lib/pages/tables/filters.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import {
  type DeliveryDetail,
  deliveriesQuery,
  findDelivery,
  resendDelivery,
} from '../../../lib/webhooks/deliveries/deliveries.queries.ts'
import type { WebhookSettingsEnv } from '../../../lib/webhooks/endpoints/settings.service.ts'
import { WebhookDeliveryQuery } from '../../../lib/webhooks/webhooks.schemas.ts'

const DONE = { queued: m.webhooks_event_being_sent }

const STATUSES = [
  ANY,
  { value: 'queued', label: m.webhooks_queued },
  { value: 'retrying', label: m.webhooks_retrying },
  { value: 'delivered', label: m.webhooks_status_delivered },
  { value: 'failed', label: m.webhooks_failed },
]

type DetailProps = { base: string; delivery: DeliveryDetail; done: Message | undefined }

const Detail = ({ base, delivery, done }: DetailProps) => {
  const { nextAttemptAt } = delivery
  const status = () => (
    <Status
      status={delivery.status === 'delivered' ? 'sent' : delivery.status}
      label={delivery.status}
    />
  )
  return (
    <>
      <h1>{t(m.webhooks_delivery_of, { type: delivery.type, code })}</h1>
      <Done message={done} />
      <dl class="facts">
        <Fact name={m.status}>
          {nextAttemptAt
            ? t(m.webhooks_status_and_next, { status, time: () => <Time at={nextAttemptAt} /> })
            : status()}
        </Fact>
        <Fact name={m.created_column}>
          <Time at={delivery.createdAt} />
        </Fact>
        <Fact name={m.webhooks_event_id}>
          <code>{delivery.eventId}</code>
        </Fact>
        <Fact name={m.webhooks_endpoint}>
          <a href={`${base}/${delivery.endpointId}`}>{t(m.webhooks_view_endpoint)}</a>
        </Fact>
      </dl>
      <form method="post" action={`${base}/deliveries/${delivery.id}/resend`}>
        <Submit>{t(m.webhooks_resend_event)}</Submit>
      </form>
      <h2>{t(m.webhooks_requests)}</h2>
      {delivery.tries.length > 0 ? (
        <Table
          caption={t(m.webhooks_requests)}
          head={[
            t(m.webhooks_sent),
            t(m.result_column),
            { number: t(m.webhooks_milliseconds) },
            t(m.webhooks_response),
          ]}
        >
          {delivery.tries.map(({ at, status, error, ms, response }) => (
            <tr>
              <TimeCell at={new Date(at)} />
              <td class="words">{resultOf(status, error)}</td>
              <td class="number">{ms}</td>
              <td class="words">{response && <code>{response}</code>}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p class="empty">{t(m.webhooks_not_sent_yet)}</p>
      )}
      <h2>{t(m.webhooks_payload)}</h2>
      {delivery.payload ? (
        <pre>
          <code>{JSON.stringify(JSON.parse(delivery.payload), null, 2)}</code>
        </pre>
      ) : (
        <p class="empty">{t(m.webhooks_no_payload)}</p>
      )}
    </>
  )
}

/** /app/:workspace/webhooks/deliveries: deliveries, responses and resending. Managers only. */
export default createRoutes<WebhookSettingsEnv>()
  .get('/app/:workspace/webhooks/deliveries', async (c) => {
    const { db, workspace } = c.var
    const t = textsOf(c)
    const base = `/app/${workspace.slug}/webhooks`
    const list = await readList(c, WebhookDeliveryQuery, (request) =>
      deliveriesQuery(db, workspace.id, request).execute(),
    )
    const { data: deliveries, nextCursor, fields, errors } = list
    const children = (
      <>
        <h1>{t(m.webhooks_deliveries_title)}</h1>
        <Filters
          what={m.layout_items_deliveries}
          path={`${base}/deliveries`}
          fields={fields}
          errors={errors}
          filters={[{ name: 'status', label: m.status, options: STATUSES }]}
          linked={{ endpointId: t(m.webhooks_one_endpoint) }}
        />
        {deliveries.length > 0 ? (
          <DeliveryTable base={base} deliveries={deliveries} />
        ) : (
          <Empty what={m.layout_items_deliveries} isFiltered={Object.keys(fields).length > 0}>
            {t(m.webhooks_no_deliveries_yet)}
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
        <LinkLine href={base}>{t(m.webhooks_endpoints)}</LinkLine>
      </>
    )
    return renderSection(c, '/webhooks', m.webhooks_deliveries_title, children, errors ? 400 : 200)
  })
  .get('/app/:workspace/webhooks/deliveries/:id', async (c) => {
    const { workspace } = c.var
    const delivery = await readById(c, 'webhook delivery', findDelivery)
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <Detail base={`/app/${workspace.slug}/webhooks`} delivery={delivery} done={done} />
    )
    return renderSection(c, '/webhooks', m.webhooks_delivery, children)
  })
  .post('/app/:workspace/webhooks/deliveries/:id/resend', async (c) => {
    const delivery = await changeById(c, 'webhook delivery', resendDelivery)
    return c.redirect(
      `/app/${c.var.workspace.slug}/webhooks/deliveries/${delivery.id}?done=queued`,
      303,
    )
  })
