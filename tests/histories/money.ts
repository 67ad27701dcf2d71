/**
 * What managers do with what is earned: adjustments, holds, payouts and what becomes of them,
 * shadow runs.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { noteReversal } from '../../lib/payouts/corrections/reversals.queries.ts'
import { readReversedTransfer } from '../../lib/payouts/stripe/transfer-event.schemas.ts'
import { withOne, withPartner } from './acts.ts'
import { checkMilestones } from './bonuses.ts'
import { findUnpaid } from './checks.ts'
import { anyOf, currency, program, step, which } from './steps.ts'
import { emailOf, type History, SLUGS } from './world.ts'

const slug = fc.constantFrom(...SLUGS)
const COMMISSIONS = `select id from commissions where workspace_id = $1 and kind <> 'reversal' order by id`
const HELD =
  'select commission_id as id from commission_holds where workspace_id = $1 and resolved_at is null order by 1'
const PAYOUTS = 'select id from payouts where workspace_id = $1 order by id desc'

/** A month passes, in which the programs with a schedule are due, and the cron pays. */
export const endMonth = async (history: History): Promise<void> => {
  const from = new Date()
  await history.pass(2_592_000)
  await checkMilestones(history)
  await history.payDue()
  expect(await findUnpaid(history, from), 'what the cron leaves').toEqual({
    left: [],
    unasked: [],
    unsent: [],
  })
}

export const moneySteps = {
  adjusted: step<{ which: number; amountCents: number; currency: string }>(
    'a partner’s balance is adjusted',
    { which, amountCents: fc.constantFrom(300, -300), currency },
    withPartner((history, { id }, { amountCents, currency }) =>
      history.manage('POST', '/commissions', {
        ...{ externalId: newId(), partnerId: id, amountCents, currency, reason: 'A correction.' },
      }),
    ),
  ),
  reversed: step<{ which: number; isPart: boolean }>(
    'a commission is reversed by hand',
    { which, isPart: fc.boolean() },
    withOne(COMMISSIONS, (history, id, { isPart }) =>
      history.manage('POST', `/commissions/${id}/reverse`, {
        reason: 'Too much.',
        ...(isPart && { amountCents: 50 }),
      }),
    ),
  ),
  held: step<{ which: number }>(
    'a commission is held',
    { which },
    withOne(COMMISSIONS, (history, id) =>
      history.manage('POST', `/commissions/${id}/hold`, { note: 'Is it ours?' }),
    ),
  ),
  resolved: step<{ which: number; end: string }>(
    'a hold is resolved',
    { which, end: fc.constantFrom('release', 'reject') },
    withOne(HELD, (history, id, { end }) =>
      history.manage('POST', `/commissions/${id}/${end}`, {}),
    ),
  ),
  connected: step<{ slug: string }>(
    'a partner connects an account',
    { slug },
    async (history, { slug }) => {
      const accounts = await history.query(
        'select from payout_accounts where workspace_id = $1 and email = $2',
        emailOf(slug),
      )
      if (accounts.length === 0) await history.payer.connectAccount(emailOf(slug))
    },
  ),
  paidOut: step<{ method: 'manual' | 'stripe' }>(
    'payouts are run',
    { method: fc.constantFrom('manual', 'manual', 'stripe') },
    (history, { method }) => history.payer.run({ method }, {}, new Date()),
  ),
  scheduled: step<{ program: number; schedule: object }>(
    'a program is paid on a schedule',
    {
      program,
      schedule: fc.constantFrom(
        { payoutSchedule: 'monthly', payoutDays: [1] },
        { payoutSchedule: 'weekly', payoutDays: [5] },
      ),
    },
    (history, { program, schedule }) =>
      history.manage('PATCH', `/programs/${history.programOf(program)}`, schedule),
  ),
  monthEnds: step('a month ends, and the cron pays', {}, endMonth),
  runChanged: step<{ which: number; status: string }>(
    'a run by bank goes on',
    { which, status: fc.constantFrom('paid', 'confirmed', 'processing', 'canceled') },
    withOne(
      'select id from payout_runs where workspace_id = $1 order by id desc',
      (history, id, { status }) => history.manage('PATCH', `/payout-runs/${id}`, { status }),
    ),
  ),
  payoutChanged: step<{ which: number; change: string }>(
    'a payout is returned, released or canceled',
    { which, change: fc.constantFrom('return', 'release', 'cancel') },
    withOne(PAYOUTS, (history, id, { change }) =>
      history.manage(
        'POST',
        `/payouts/${id}/${change}`,
        change === 'return' ? { reason: 'Closed.' } : undefined,
      ),
    ),
  ),
  transferReversed: step<{ which: number }>(
    'a transfer is reversed at Stripe',
    { which },
    async ({ stripe, payer, db }, { which }) => {
      const left = stripe()
        .transfers(payer.key)
        .filter(({ reversed }) => !reversed)
      const transfer = anyOf(left, which)
      if (!transfer) return
      stripe().reverse(transfer.id)
      const reversal = readReversedTransfer(stripe().connectEvents().at(-1))
      if (reversal) await noteReversal(db(), payer.workspaceId, reversal, new Date())
    },
  ),
  shadowed: step<{ program: number }>('a shadow run starts', { program }, (history, { program }) =>
    history.manage('PATCH', `/programs/${history.programOf(program)}`, { mode: 'shadow' }),
  ),
  uploaded: step<{ program: number; slug: string; amountCents: number; state: string }>(
    'the other platform’s commissions are uploaded, and compared',
    {
      program,
      slug,
      amountCents: fc.constantFrom(980, -200),
      state: fc.constantFrom('due', 'pending', 'paid'),
    },
    async (history, { program, slug, ...commission }) => {
      const path = `/programs/${history.programOf(program)}/shadow`
      const said = {
        ...commission,
        currency: 'USD',
        saleAmountCents: 4_900,
        saleIds: history.sales.slice(0, 1),
      }
      const row = {
        ...said,
        id: `cm_${slug}`,
        partnerEmail: emailOf(slug),
        soldAt: new Date().toISOString(),
      }
      const { status } = await history.manage('POST', `${path}/commissions`, { rows: [row] })
      if (status === 200) await history.manage('POST', `${path}/compare`, {})
    },
  ),
  cutOver: step<{ program: number }>(
    'a shadow run is cut over',
    { program },
    (history, { program }) =>
      history.manage('POST', `/programs/${history.programOf(program)}/cut-over`, {}),
  ),
}
