/**
 * What the database refuses, whatever one plan or several at once would insert: an event earns
 * once.
 */
import { expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/** A merchant with a lead and a sale that earned, and a sale that was too small to earn. */
const open = async () => {
  const merchant = await createMerchant({
    group: { leadReward: { amountCents: 500n, currency: 'USD' } },
  })
  const clickId = await merchant.click()
  const lead = await merchant.lead({ externalId: 'user_1', clickId })
  const sale = await merchant.sale({ externalId: 'inv_1', clickId })
  const small = await merchant.sale({ externalId: 'inv_2', clickId, amountCents: 1 })
  return { lead: lead.body.eventId, sale: sale.body.eventId, small: small.body.eventId }
}
type EventId = Awaited<ReturnType<typeof open>>['sale']

type Row = { kind: string; cents?: number; replacesId?: string; reversesId?: string }

/** Inserts a commission of an event. @returns what refuses it, or null */
const insert = async (eventId: EventId, { kind, cents = 100, replacesId, reversesId }: Row) =>
  database
    .query(
      `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                                replaces_id, reverses_id, amount_cents, currency, payable_at, created_at)
       select $1::uuid, e.workspace_id, p.program_id, p.id, e.customer_id, e.id, g.reward_id, $3, $4::uuid, $5::uuid,
              $6::bigint, 'USD', now(), now()
       from events e join partners p on p.id = e.partner_id join programs g on g.id = p.program_id where e.id = $2`,
      [newId(), eventId, kind, replacesId ?? null, reversesId ?? null, cents],
    )
    .then(
      () => null,
      ({ constraint, message }: { constraint?: string; message: string }) => constraint ?? message,
    )

const commissionOf = async (eventId: EventId) => {
  const [row] = await database.query<{ id: string }>(
    'select id from commissions where event_id = $1',
    [eventId],
  )
  return row?.id ?? ''
}

test('a second commission of a sale or a lead is refused, whatever its kind', async () => {
  const { sale, lead } = await open()
  for (const eventId of [sale, lead])
    for (const kind of ['sale', 'lead'])
      expect(await insert(eventId, { kind })).toBe('commissions_event_id_key')
})

test('of eight that are inserted at once for one event, one is kept', async () => {
  const { small } = await open()
  const results = await Promise.all(
    Array.from({ length: 8 }, () => insert(small, { kind: 'sale' })),
  )
  expect(results.filter((refusal) => refusal === null)).toHaveLength(1)
  expect(results.filter((refusal) => refusal === 'commissions_event_id_key')).toHaveLength(7)
})

test('a commission is replaced once, and reversed in parts', async () => {
  const { sale } = await open()
  const id = await commissionOf(sale)
  const part = { kind: 'reversal', cents: -100, reversesId: id }
  expect([await insert(sale, part), await insert(sale, part)]).toEqual([null, null])
  const next = { kind: 'sale', replacesId: id }
  expect([await insert(sale, next), await insert(sale, next)]).toEqual([
    null,
    'commissions_replaces_id_key',
  ])
})
