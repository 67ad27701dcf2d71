/**
 * The cron of payouts: it pays nothing of a program in shadow mode, compares it, and mails its sums
 * each week.
 */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { startShadowRun } from '../../lib/shadow/mode.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()
const DAY_MS = 86_400_000

test('on its schedule a program in shadow mode begins no run, reminds nobody, and is compared and reported each week', async () => {
  const payer = await world.createPayer({
    payout_schedule: 'weekly',
    payout_schedule_since: new Date(0),
  })
  const { workspaceId, programId, seed } = payer
  await seed.addMember(workspaceId, 'ann@shop.example')
  const db = connect(world.env())
  const act = { workspaceId, actor: 'ann@shop.example', now: new Date() }
  expect(await startShadowRun(db, act, programId)).toMatchObject({
    mode: 'live',
    unfinished: 0,
    unpaidPartners: 0,
  })
  const maya = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 5_000 }],
    connected: false,
  })
  await world.query(
    `insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_ids, partner_email, sold_at, created_at)
     values ($1, $2, $3, 'cm_1', 'due', 900, 'USD', '{}', $4, now(), now())`,
    [newId(), workspaceId, programId, maya.email],
  )

  const later = (days: number) => new Date(Date.now() + days * DAY_MS)
  for (const days of [0, 1, 7, 7.1, 8]) await payDue(world.env(), later(days))
  const kinds = await world.query<{
    kind: string
    recipient: string
    details: Record<string, unknown>
  }>('select kind, recipient, details from mails where workspace_id = $1 order by id', [
    workspaceId,
  ])
  expect(kinds.map(({ kind, recipient }) => `${kind} to ${recipient}`)).toEqual([
    'shadow_week to ann@shop.example',
  ])
  const { subject, text, html } = outboxContent({
    kind: 'shadow_week',
    details: kinds[0]?.details ?? {},
  })
  expect(subject).toBe('Shadow run of A program: 1 difference')
  expect(text).toContain('Commissions only there: 1 sale, 0.00 USD here and 9.00 USD there.')
  expect(html).toContain(`/programs/${programId}/shadow?from=`)
  expect(
    await world.query('select from payout_runs where workspace_id = $1', [workspaceId]),
  ).toEqual([])
  expect(await world.query('select from payouts where workspace_id = $1', [workspaceId])).toEqual(
    [],
  )
  expect(payer.sent()).toEqual({})
  const [found] = await world.query(
    'select outcome, reason from shadow_comparisons where workspace_id = $1',
    [workspaceId],
  )
  expect(found).toEqual({ outcome: 'only_there', reason: 'customer_not_imported' })
  expect(await world.violations()).toEqual([])

  for (const days of [14.5, 15]) await payDue(world.env(), later(days))
  const again = await world.query(
    `select from mails where workspace_id = $1 and kind = 'shadow_week'`,
    [workspaceId],
  )
  expect(again).toHaveLength(2)
})
