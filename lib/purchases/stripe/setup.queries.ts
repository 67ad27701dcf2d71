/** How a workspace is connected with Stripe. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { stripeKeyQuery } from '../../payouts/transfers/stripe-keys.queries.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import { settingsQuery } from '../../tenancy/settings/settings.queries.ts'
import { isNamed } from '../../tenancy/workspaces/workspaces.queries.ts'
import { EVENTS_READ } from '../../tracking/checks/silent-processor.ts'
import {
  deliveryQuery,
  eventsQuery,
  isDelivered,
  type ProcessorEventFilter,
} from '../../tracking/events/processor-events.queries.ts'
import { INVOICE_PAYMENT } from './objects/event-types.ts'
import type { SecretPurpose } from './purposes.ts'
import { stripeSecretsQuery } from './signing-secrets.queries.ts'

/** A webhook endpoint: its encrypted signing secrets, and whether no event was delivered yet. */
export type Endpoint = {
  workspaceId: string
  mode: Mode
  backendCreatesCheckouts: boolean
  secrets: { ciphertext: string; purpose: SecretPurpose }[]
  isNew: boolean
  /** Whether a stored key may read the lines that events leave out. */
  readsLines: boolean
}

/** The webhook endpoint of a workspace. @param address the workspace's slug or id */
export const findEndpoint = (db: Db, address: string): Promise<Endpoint | undefined> =>
  db
    .selectFrom('workspaces as w')
    .where(isNamed(address))
    .select([
      'w.id as workspaceId',
      'w.mode',
      'w.backend_creates_checkouts as backendCreatesCheckouts',
      sql<Endpoint['secrets']>`(
        select coalesce(jsonb_agg(jsonb_build_object('ciphertext', s.ciphertext, 'purpose', s.purpose)
                                  order by s.purpose, s.slot), '[]')
        from stripe_secrets s where s.workspace_id = w.id)`.as('secrets'),
      sql<boolean>`not exists (select from processor_events e where e.workspace_id = w.id and e.processor = 'stripe' and ${isDelivered})`.as(
        'isNew',
      ),
      sql<boolean>`exists (select from stripe_keys k where k.workspace_id = w.id and k.reads_lines)`.as(
        'readsLines',
      ),
    ])
    .executeTakeFirst()

/**
 * Whether Stripe reports sales that earn: it credits them to the partners of known customers. The
 * merchant's own reports need `attributeKnownCustomers` for that.
 */
export const creditsStripeSales = async (db: Db, workspaceId: string): Promise<boolean> => {
  const { rows } = await sql<{ credits: boolean }>`
    select sales_from <> 'api' and exists (select from stripe_secrets s where s.workspace_id = w.id) as credits
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  return rows[0]?.credits ?? false
}

/** The newest events that Stripe delivered, as a column. Null without events or signing secret. */
export const deliveriesQuery = (workspaceId: string) => sql<DeliveriesJson | null>`(
  select jsonb_build_object('count', count(*), 'firstAt', min(received_at), 'lastAt', max(received_at))
  from (select processor_event_id, received_at from processor_events
        where workspace_id = ${workspaceId} and processor = 'stripe' order by id desc limit ${EVENTS_READ}) newest
  where ${isDelivered} and exists (select from stripe_secrets where workspace_id = ${workspaceId})
  having count(*) > 0)`

/** `Deliveries`, with its times as JSON has them. */
export type DeliveriesJson = { count: number; firstAt: string; lastAt: string }

/** Events that are searched for payments of invoices, newest first. */
const EVENTS_SEARCHED = 500

/** How much later than its invoice a payment may arrive. Stripe sends both within seconds. */
const PAYMENT_MINUTES = 15

/**
 * Whether the endpoint of a workspace receives paid invoices that name no payment, and never
 * `invoice_payment.paid`, which would: then refunds don't find their invoices, and each payment
 * looks like a second sale.
 */
const lacksInvoicePayments = (workspaceId: RawBuilder<unknown>, now: Date) => sql<boolean>`(
  select coalesce(bool_or(type = 'invoice.paid' and received_at < ${now}::timestamptz - make_interval(mins => ${PAYMENT_MINUTES})
                          and facts @? '$[*] ? (@.kind == "invoice" && @.paid.grossCents > 0)'
                          and not exists (select from unnest(keys) key where key not like 'in\\_%' and key not like 'report:%')), false)
         and not coalesce(bool_or(type = 'invoice_payment.paid'), false)
  from (select type, keys, facts, received_at from processor_events
        where workspace_id = ${workspaceId} and processor = 'stripe' and ${isDelivered}
        order by id desc limit ${EVENTS_SEARCHED}) newest)`

/** All workspaces with a webhook endpoint, and whether it lacks the event of invoices' payments. */
export const listEndpoints = async (
  db: Db,
  now: Date,
): Promise<{ slug: string; lacksInvoicePayments: boolean }[]> => {
  const { rows } = await sql<{ slug: string; lacksInvoicePayments: boolean }>`
    select w.slug, ${lacksInvoicePayments(sql`w.id`, now)} as "lacksInvoicePayments"
    from workspaces w where exists (select from stripe_secrets s where s.workspace_id = w.id) order by w.slug`.execute(
    db,
  )
  return rows
}

/** A workspace's Stripe settings, deliveries and a page of events, in one database round trip. */
export const readStripe = async (
  db: Db,
  workspaceId: string,
  filter: ProcessorEventFilter = { limit: 0 },
  now = new Date(),
) => {
  const [[settings], [key], secrets, [first], [last], events, [payments]] = await db.batch([
    settingsQuery(db, workspaceId).compile(),
    stripeKeyQuery(db, workspaceId).compile(),
    stripeSecretsQuery(db, workspaceId).compile(),
    deliveryQuery(db, workspaceId, 'stripe', 'asc').compile(),
    deliveryQuery(db, workspaceId, 'stripe', 'desc').compile(),
    eventsQuery(db, workspaceId, 'stripe', filter).compile(),
    sql<{ areMissing: boolean }>`
      select ${lacksInvoicePayments(sql`${workspaceId}::uuid`, now)} as "areMissing"`.compile(db),
  ])
  return {
    salesFrom: settings?.salesFrom ?? 'both',
    mode: settings?.mode ?? 'live',
    key: key ?? null,
    secrets,
    firstEventAt: first?.receivedAt ?? null,
    lastEventAt: last?.receivedAt ?? null,
    events,
    missingEvents: payments?.areMissing ? [INVOICE_PAYMENT] : [],
  }
}

export type StripeSetup = Awaited<ReturnType<typeof readStripe>>
