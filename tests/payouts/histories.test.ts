// @module-tag sampled
/**
 * Whatever happens in whatever order, the ledger adds up after each step, and Stripe has sent what
 * the ledger says: random histories of sales, refunds, disputes, imports, accounts, runs, crashes
 * and a shadow run, by the code that the Workers run.
 */
import fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import importPartners from '../../functions/import-partners.ts'
import trackClick from '../../functions/track/track-click.ts'
import trackSale from '../../functions/track/track-sale.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { changePartner } from '../../lib/partners/changes/change-partner.queries.ts'
import { disconnect } from '../../lib/payouts/accounts/onboarding.service.ts'
import { cancelPayout, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { returnPayout } from '../../lib/payouts/corrections/returned-payouts.queries.ts'
import { noteReversal, releasePayout } from '../../lib/payouts/corrections/reversals.queries.ts'
import { decideRun } from '../../lib/payouts/runs/approvals.queries.ts'
import { NO_LIMITS } from '../../lib/payouts/runs/limits.ts'
import { changeRun } from '../../lib/payouts/runs/manual-runs.queries.ts'
import { readReversedTransfer } from '../../lib/payouts/stripe/transfer-event.schemas.ts'
import { processEvent } from '../../lib/purchases/apply/apply.service.ts'
import { joinReport } from '../../lib/purchases/apply/late.service.ts'
import { creditEvent } from '../../lib/purchases/corrections/credit.service.ts'
import { readEvent } from '../../lib/purchases/stripe/objects/events.schemas.ts'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import { holdCommission } from '../../lib/tracking/holds/place-hold.queries.ts'
import { resolveHold } from '../../lib/tracking/holds/resolve-hold.queries.ts'
import { saveAdjustment } from '../../lib/tracking/ledger/adjustments.queries.ts'
import { reverseCommission } from '../../lib/tracking/refunds/manual-reversals.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { addApprover } from '../support/approvers.ts'
import { checkResponse } from '../support/contract.ts'
import { type Cut, during, VICTIMS } from '../support/killed.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { charge, checkoutSession, dispute, stripeEvent, type TestEvent } from '../support/stripe.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'
import { addOtherProgram, type OldCommission } from './histories/shadow.ts'

const world = usePayouts()
// The Workers' log lines say nothing that the test doesn't.
beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue(undefined))

const HISTORIES = timesOver({ quick: 1, thorough: 15, exhaustive: 500 })
const STEPS = 25

const PARTNERS = ['maya', 'leo', 'kim'] as const
const CURRENCIES = ['USD', 'EUR', 'JPY'] as const

/** A manager who approves what another one has begun. */
const SECOND = 'second@shop.example'

type Partner = (typeof PARTNERS)[number]
type Payment = {
  id: string
  amountCents: number
  currency: string
  refundedCents: number
  dispute: string | null
}

/**
 * A merchant in the middle of its history.
 * @param isShadow whether its other program begins in shadow mode
 */
const begin = async (isShadow: boolean) => {
  const payer = await world.createPayer({ holding_days: 0, minimum_payout_cents: 50 })
  await addApprover(world.query, payer.workspaceId, SECOND)
  const partners = new Map<Partner, Awaited<ReturnType<Payer['addPartner']>>>()
  for (const slug of PARTNERS)
    partners.set(slug, await payer.addPartner({ slug, connected: slug !== 'kim' }))
  const apiKey = await payer.seed.addApiKey(payer.workspaceId)
  await payer.seed.addMember(payer.workspaceId, 'a manager', 'manager')
  const other = await addOtherProgram(world, payer, PARTNERS)
  if (isShadow) await other.start()
  return {
    payer,
    /** The program that another platform pays for a while. */
    other,
    apiKey,
    partners,
    payments: [] as Payment[],
    imported: 0,
    /** The partners whom a manager has credited, by event; null is nobody. */
    credited: new Map<string, string | null>(),
    /** How far the clocks are ahead by now. */
    hours: 0,
    partner: (slug: Partner) => {
      const partner = partners.get(slug)
      if (!partner) throw new Error(`There is no ${slug}.`)
      return partner
    },
  }
}
type History = Awaited<ReturnType<typeof begin>>

const act = ({ payer }: History) => ({
  workspaceId: payer.workspaceId,
  actor: 'a manager',
  now: new Date(),
})
const db = () => connect(world.env())

/** Asks the app of a Worker. */
const ask = async (
  app: { request: typeof trackSale.request },
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> => {
  const user = { id: 'a manager', email: 'a manager', name: '' }
  const url = `http://tributary.example${path}`
  const response = await app.request(
    url,
    {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Cookie: 'tributary.session=any', ...headers },
    },
    {
      ...world.env(),
      RATE_LIMIT: { limit: async () => ({ success: true }) },
      AUTH: { getSession: async () => ({ user, signedInAt: new Date(), setCookie: [] }) },
      WEBHOOKS: { nudge: async () => {} },
      OUTBOX: { nudge: async () => {} },
      STRIPE_WEBHOOK: {
        joinReport: (...[workspaceId, report]: [string, Parameters<typeof joinReport>[2]]) =>
          joinReport(db(), workspaceId, report, new Date()),
        decideHolds,
      },
    },
    { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
  )
  await checkResponse('POST', url, response)
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

const click = async (
  { payer }: History,
  slug: Partner,
  programId = payer.programId,
): Promise<string | null> => {
  // A banned partner's link gives no click.
  const answer = await ask(trackClick, '/api/track/click', { programId, slug }).catch(() => ({}))
  return 'clickId' in answer ? String(answer.clickId) : null
}

/** Takes an event as the stripe-webhook Worker does. */
const hear = async ({ payer: { workspaceId } }: History, received: TestEvent): Promise<void> => {
  const event = readEvent(JSON.parse(JSON.stringify(received)), { backendCreatesCheckouts: false })
  if (!event) throw new Error('An event that nobody understands.')
  const now = new Date()
  await processEvent(db(), workspaceId, event, now)
}

/** A run that may be refused or fail, as long as the ledger adds up. */
const run = (history: History, method: 'stripe' | 'manual' = 'stripe') =>
  history.payer.run({ method }, {}, world.hoursLater(history.hours))

const anyOf = <T>(list: T[], index: number): T | undefined => list[index % Math.max(list.length, 1)]

const amount = fc.integer({ min: 1, max: 50_000 })
const partner = fc.constantFrom(...PARTNERS)
const currency = fc.constantFrom(...CURRENCIES)
const which = fc.nat(20)
const cut = { victim: fc.constantFrom(...VICTIMS), isCarriedOut: fc.boolean(), place: fc.nat(14) }

/** What may happen: how it is drawn, and what it does. */
const step = <T extends object>(
  name: string,
  draw: { [K in keyof T]: fc.Arbitrary<T[K]> },
  take: (history: History, drawn: T) => Promise<unknown>,
) =>
  fc.record(draw).map((drawn) => ({
    take: (history: History) => take(history, drawn as T),
    toString: () => `${name} ${JSON.stringify(drawn)}`,
  }))

type Sale = { amountCents: number; currency: string }

const report = (history: History, sale: Sale, clickId: string | null) => {
  const body = { ...sale, externalId: newId(), customerExternalId: newId(), clickId }
  return ask(trackSale, '/api/track/sale', body, { Authorization: `Bearer ${history.apiKey}` })
}

const buy = async (history: History, { amountCents, currency }: Sale, clickId: string | null) => {
  const payment = { id: `pi_${newId()}`, amountCents, currency, refundedCents: 0, dispute: null }
  history.payments.push(payment)
  const session = checkoutSession({
    payment_intent: payment.id,
    currency: currency.toLowerCase(),
    amount_total: amountCents,
    client_reference_id: clickId,
    customer: `cus_${newId()}`,
  })
  await hear(history, stripeEvent('checkout.session.completed', session))
}

const steps = {
  reported: step<{ partner: Partner; amountCents: number; currency: string }>(
    'a sale is reported',
    { partner, amountCents: amount, currency },
    async (history, { partner, ...sale }) => report(history, sale, await click(history, partner)),
  ),
  bought: step<{ partner: Partner; amountCents: number; currency: string }>(
    'a checkout is paid',
    { partner, amountCents: amount, currency },
    async (history, { partner, ...sale }) => buy(history, sale, await click(history, partner)),
  ),
  refunded: step<{ which: number; percent: number }>(
    'a payment is refunded',
    { which, percent: fc.integer({ min: 1, max: 100 }) },
    async (history, { which, percent }) => {
      const payment = anyOf(history.payments, which)
      if (!payment) return
      const left = payment.amountCents - payment.refundedCents
      payment.refundedCents += Math.ceil((left * percent) / 100)
      const object = charge({
        id: payment.id.replace('pi_', 'ch_'),
        payment_intent: payment.id,
        currency: payment.currency.toLowerCase(),
        amount: payment.amountCents,
        amount_refunded: payment.refundedCents,
      })
      await hear(history, stripeEvent('charge.refunded', object))
    },
  ),
  disputed: step<{ which: number; end: 'won' | 'lost' }>(
    'a payment is disputed, or its dispute ends',
    { which, end: fc.constantFrom('won', 'lost') },
    async (history, { which, end }) => {
      const payment = anyOf(history.payments, which)
      if (!payment) return
      const isOpen = payment.dispute !== null
      payment.dispute ??= `dp_${newId()}`
      const object = dispute({
        id: payment.dispute,
        payment_intent: payment.id,
        charge: payment.id.replace('pi_', 'ch_'),
        currency: payment.currency.toLowerCase(),
        amount: payment.amountCents,
        status: isOpen ? end : 'needs_response',
      })
      await hear(
        history,
        stripeEvent(isOpen ? 'charge.dispute.closed' : 'charge.dispute.created', object),
      )
    },
  ),
  imported: step<{ balance: number }>(
    'partners are imported',
    { balance: amount },
    async (history, { balance }) => {
      const { payer } = history
      const email = `imported-${history.imported++}@${payer.slug}.example`
      await ask(importPartners, `/api/workspaces/${payer.slug}/partners/import`, {
        programId: payer.programId,
        options: { importOpeningBalances: true },
        rows: [
          { email, openingBalanceCents: balance },
          { email: history.partner('maya').email, openingBalanceCents: 1 },
        ],
      })
      if (balance % 2) await payer.connectAccount(email)
    },
  ),
  connected: step<{ partner: Partner }>(
    'a partner connects',
    { partner },
    async (history, { partner }) => {
      const { email } = history.partner(partner)
      const [known] = await world.query(
        `select from payout_accounts where workspace_id = $1 and email = $2 and disconnected_at is null`,
        [history.payer.workspaceId, email],
      )
      if (!known) await history.payer.connectAccount(email)
    },
  ),
  disconnected: step<{ partner: Partner }>(
    'a partner disconnects',
    { partner },
    (history, { partner }) =>
      disconnect(world.env(), history.payer.workspaceId, history.partner(partner).email),
  ),
  closed: step<{ which: number }>(
    'an account is closed at Stripe',
    { which },
    async ({ payer }, { which }) => {
      const account = anyOf(world.stripe().accounts(payer.key), which)
      if (account && account.standing !== 'closed' && which % 4 === 0)
        world.stripe().closeAccount(account.id)
    },
  ),
  banned: step<{ partner: Partner }>(
    'a partner is banned, or approved again',
    { partner },
    async (history, { partner }) => {
      const { id } = history.partner(partner)
      const [now] = await world.query<{ status: string }>(
        'select status from partners where id = $1',
        [id],
      )
      await changePartner(db(), act(history), id, {
        status: now?.status === 'banned' ? 'approved' : 'banned',
      })
    },
  ),
  bannedInRun: step<Cut & { partner: Partner }>(
    'a partner is banned while payouts are run',
    { ...cut, partner },
    async (history, { partner, ...cut }) => {
      const { id } = history.partner(partner)
      const banning = () => changePartner(db(), act(history), id, { status: 'banned' })
      // A killed process gets no response for the ban either.
      await during(cut, world.stripe().url, () =>
        Promise.all([run(history), banning().catch(() => {})]),
      )
    },
  ),
  payoutCanceled: step<{ which: number }>(
    'a manager cancels a payout',
    { which },
    async (history, { which }) => {
      const payouts = await world.query<{ id: string }>(
        `select id from payouts where workspace_id = $1 and paid_at is null and failed_at is null order by id`,
        [history.payer.workspaceId],
      )
      const payout = anyOf(payouts, which)
      if (payout) await cancelPayout(db(), act(history), payout.id)
    },
  ),
  runCanceled: step<{ which: number }>(
    'a manager cancels a run while payouts are run',
    { which },
    async (history, { which }) => {
      const runs = await world.query<{ id: string }>(
        'select id from payout_runs where workspace_id = $1 order by id desc',
        [history.payer.workspaceId],
      )
      const one = anyOf(runs, which)
      if (one) await Promise.all([cancelRun(db(), act(history), one.id), run(history)])
    },
  ),
  keyRolled: step<{ which: number }>(
    'another key of the same account is set',
    { which },
    async ({ payer }, { which }) => payer.replaceKey(`${payer.key}_rolled${which}`),
  ),
  spentInRun: step<{ currency: string; cents: number }>(
    'the money goes while payouts are run',
    { currency, cents: fc.integer({ min: 0, max: 9_000 }) },
    async (history, { currency, cents }) => {
      world.changeFundsAtTransfer(history.payer.key, currency, cents)
      await run(history)
      world.stripe().hooks.onCall = undefined
    },
  ),
  ran: step('payouts are run', {}, (history) => run(history)),
  ranAtOnce: step<{ amountCents: number }>(
    'payouts are run twice at once, and by the clock, while a sale comes in',
    { amountCents: amount },
    async (history, { amountCents }) => {
      const earn = history.payer.earn(history.partner('leo').id, { amountCents })
      await Promise.all([
        run(history),
        run(history),
        payDue(world.env(), world.hoursLater(history.hours)),
        earn,
      ])
    },
  ),
  killed: step<Cut>('a run is killed', cut, (history, cut) =>
    during(cut, world.stripe().url, () => run(history)),
  ),
  ranManually: step<{ ends: ('paid' | 'processing' | 'confirmed' | 'canceled')[] }>(
    'payouts are run by bank',
    {
      ends: fc.array(fc.constantFrom('paid', 'processing', 'confirmed', 'canceled'), {
        maxLength: 4,
      }),
    },
    async (history, { ends }) => {
      const { runId } = await run(history, 'manual')
      for (const end of ends)
        await changeRun(db(), act(history), runId ?? '', end, 'https://tributary.example')
    },
  ),
  reversed: step<{ which: number; isFull: boolean }>(
    'a transfer is reversed at Stripe',
    { which, isFull: fc.boolean() },
    async ({ payer }, { which, isFull }) => {
      const left = world
        .stripe()
        .transfers(payer.key)
        .filter(({ reversed }) => !reversed)
      const transfer = anyOf(left, which)
      if (!transfer) return
      world.stripe().reverse(transfer.id, isFull ? undefined : 1)
      const reversal = readReversedTransfer(world.stripe().connectEvents().at(-1))
      if (reversal) await noteReversal(db(), payer.workspaceId, reversal, new Date())
    },
  ),
  released: step<{ which: number }>(
    'a manager releases the commissions of a reversed payout',
    { which },
    async (history, { which }) => {
      const payouts = await world.query<{ id: string }>(
        `select id from payouts where workspace_id = $1 and status = 'reversed' order by id`,
        [history.payer.workspaceId],
      )
      const payout = anyOf(payouts, which)
      if (payout) await releasePayout(db(), act(history), payout.id)
    },
  ),
  returned: step<{ which: number }>(
    'a bank returns a payout',
    { which },
    async (history, { which }) => {
      const payouts = await world.query<{ id: string }>(
        `select id from payouts where workspace_id = $1 and stripe_account_id is null order by id`,
        [history.payer.workspaceId],
      )
      const payout = anyOf(payouts, which)
      const mail = {
        reason: 'The account is closed.',
        portalUrl: 'https://tributary.example/portal',
      }
      if (payout)
        await Promise.all([1, 2].map(() => returnPayout(db(), act(history), payout.id, mail)))
    },
  ),
  adjusted: step<{ partner: Partner; amountCents: number; currency: string }>(
    'a manager adjusts what a partner has earned',
    {
      partner,
      amountCents: fc.integer({ min: -20_000, max: 20_000 }).filter((cents) => cents !== 0),
      currency,
    },
    (history, { partner, amountCents, currency }) => {
      const about = { payableAt: null, eventId: null, commissionId: null }
      const change = {
        partnerId: history.partner(partner).id,
        amountCents,
        currency,
        reason: 'Correction',
      }
      const adjustment = { externalId: newId(), ...change, ...about }
      return Promise.all([1, 2].map(() => saveAdjustment(db(), act(history), adjustment)))
    },
  ),
  credited: step<{ which: number; partner: Partner | null; customer: boolean }>(
    'a manager credits a sale to a partner, or to nobody, while payouts are run',
    { which, partner: fc.option(partner), customer: fc.boolean() },
    async (history, { which, partner, customer }) => {
      const sales = await world.query<{ id: string }>(
        `select id from events where workspace_id = $1 and kind = 'sale' order by id desc`,
        [history.payer.workspaceId],
      )
      const id = anyOf(sales, which)?.id
      if (!id) return
      const partnerId = partner && history.partner(partner).id
      const credit = () =>
        creditEvent(db(), act(history), id, { partnerId, reason: 'It was theirs.', customer })
      const outcomes = await Promise.all([credit(), credit(), run(history)])
      if (outcomes.includes('credited')) history.credited.set(id, partnerId)
    },
  ),
  reversedByHand: step<{ which: number; percent: number }>(
    'a manager reverses a part of a commission, while payouts are run',
    { which, percent: fc.integer({ min: 1, max: 100 }) },
    async (history, { which, percent }) => {
      const commissions = await world.query<{ id: string; cents: number }>(
        `select id, amount_cents::int as cents from commissions
         where workspace_id = $1 and kind <> 'reversal' and amount_cents > 0 order by id desc`,
        [history.payer.workspaceId],
      )
      const commission = anyOf(commissions, which)
      if (!commission) return
      const amountCents = Math.ceil((commission.cents * percent) / 100)
      const reversal = { amountCents, reason: 'Too much.', externalId: newId() }
      const reverse = () => reverseCommission(db(), act(history), commission.id, reversal)
      await Promise.all([reverse(), reverse(), run(history)])
    },
  ),
  held: step<{ which: number; end: 'released' | 'rejected' | null }>(
    'a manager holds a commission, and may decide about it, while payouts are run',
    { which, end: fc.constantFrom('released', 'rejected', null) },
    async (history, { which, end }) => {
      const commissions = await world.query<{ id: string }>(
        'select id from commissions where workspace_id = $1 order by id desc',
        [history.payer.workspaceId],
      )
      const id = anyOf(commissions, which)?.id
      if (!id) return
      await Promise.all([
        holdCommission(db(), act(history), id, 'Is it ours to pay?'),
        run(history),
      ])
      if (end) await Promise.all([resolveHold(db(), act(history), id, end), run(history)])
    },
  ),
  ranAsShown: step<{ amountCents: number; leavesOut: Partner | null }>(
    'payouts are run as they were shown, while a sale comes in',
    { amountCents: amount, leavesOut: fc.option(partner) },
    async (history, { amountCents, leavesOut }) => {
      const { payer } = history
      const now = world.hoursLater(history.hours)
      const limits = {
        ...NO_LIMITS,
        excludePartnerIds: leavesOut ? [history.partner(leavesOut).id] : [],
      }
      const shown = await payer.run({ dryRun: true, limits }, {}, now)
      const asShown = {
        limits: { ...limits, previewedAt: shown.previewedAt },
        expected: shown.totals,
      }
      await Promise.all([
        payer.run(asShown, {}, now),
        payer.earn(history.partner('maya').id, { amountCents }),
        payer.run(asShown, {}, now),
      ])
    },
  ),
  approved: step<{ wanted: 'approve' | 'decline' }>(
    'a run waits for approval, and is approved or declined',
    { wanted: fc.constantFrom('approve', 'decline') },
    async (history, { wanted }) => {
      const { workspaceId } = history.payer
      const above = (cents: number | null) =>
        world.query('update workspaces set approval_above_cents = $2 where id = $1', [
          workspaceId,
          cents,
        ])
      await above(100)
      const { runId } = await run(history)
      await above(null)
      expect(await world.violations()).toEqual([])
      const decision = { wanted, url: 'https://tributary.example/app/shop' }
      await decideRun(db(), { ...act(history), actor: SECOND }, runId ?? '', decision)
      await payDue(world.env(), world.hoursLater(history.hours))
    },
  ),
  slept: step('a day passes, and Stripe forgets its keys', {}, async (history) => {
    history.hours += 25
    world.hoursLater(history.hours)
  }),
  poor: step<{ currency: string; cents: number }>(
    'the merchant has little money',
    { currency, cents: fc.integer({ min: 0, max: 9_000 }) },
    async ({ payer }, { currency, cents }) => world.stripe().setBalance(currency, cents, payer.key),
  ),
  rich: step<{ currency: string }>(
    'the merchant has money',
    { currency },
    async ({ payer }, { currency }) =>
      world.stripe().setBalance(currency, 1_000_000_000, payer.key),
  ),
}

const oldCommissions = fc.array(
  fc.record<OldCommission>({
    id: fc.nat(7),
    slug: partner,
    amountCents: fc.integer({ min: -3_000, max: 20_000 }).filter((cents) => cents !== 0),
    currency,
    state: fc.constantFrom('pending', 'due', 'due', 'paid', 'voided', 'other'),
  }),
  { minLength: 1, maxLength: 5 },
)

/** What may happen to the program that another platform pays for a while. */
const shadowSteps = {
  soldThere: step<{ partner: Partner; amountCents: number; currency: string; isReported: boolean }>(
    'a sale is made in the other program',
    { partner, amountCents: amount, currency, isReported: fc.boolean() },
    async (history, { partner, isReported, ...sale }) => {
      const clickId = await click(history, partner, history.other.id)
      await (isReported ? report(history, sale, clickId) : buy(history, sale, clickId))
    },
  ),
  started: step<{ partner: Partner; amountCents: number }>(
    'the other program starts a shadow run, while payouts are run and something is earned in it',
    { partner, amountCents: amount },
    async (history, { partner, amountCents }) => {
      const { payer, other } = history
      await Promise.all([
        other.start(),
        run(history),
        other.start(),
        payer.earn(other.partner(partner).id, { amountCents }),
      ])
    },
  ),
  oldRead: step<{ commissions: OldCommission[] }>(
    'commissions of the other platform are read, and compared while payouts are run',
    { commissions: oldCommissions },
    async (history, { commissions }) => {
      const { other } = history
      await other.read(commissions)
      await Promise.all([other.compare(), other.compare(), run(history)])
    },
  ),
  ranThere: step<{ partner: Partner; method: 'stripe' | 'manual'; amountCents: number }>(
    'payouts of the other program are run, by Stripe or by bank, and its partners are adjusted',
    { partner, method: fc.constantFrom('stripe', 'manual'), amountCents: amount },
    async (history, { partner, method, amountCents }) => {
      const { payer, other } = history
      const isShadow = await other.isShadow()
      const programId = other.id
      const running = payer.run({ method, programId }, {}, world.hoursLater(history.hours))
      const about = {
        payableAt: null,
        eventId: null,
        commissionId: null,
        reason: 'Bonus',
        currency: 'USD',
      }
      const bonus = {
        externalId: newId(),
        partnerId: other.partner(partner).id,
        amountCents,
        ...about,
      }
      const adjusting = saveAdjustment(db(), act(history), bonus)
      const ends = await Promise.allSettled([running, adjusting])
      if (isShadow) expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    },
  ),
  cutOver: step<{ commissions: OldCommission[] }>(
    'the other program is cut over twice at once, while commissions are read and payouts are run',
    { commissions: oldCommissions },
    async (history, { commissions }) => {
      const { other } = history
      await Promise.all([other.cutOver(), other.read(commissions), run(history), other.cutOver()])
    },
  ),
  cutOverKilled: step<Cut>(
    'the other program is cut over and payouts are run, and both are killed',
    cut,
    (history, cut) =>
      during(cut, world.stripe().url, () =>
        Promise.all([run(history), history.other.cutOver().catch(() => {})]),
      ),
  ),
}

/** To whom the events are credited that a manager has decided. */
const creditsOf = async ({ credited }: History) => {
  const events = await world.query<{ id: string; partner: string | null }>(
    'select id, partner_id as partner from events where id = any($1)',
    [[...credited.keys()]],
  )
  return Object.fromEntries(events.map(({ id, partner }) => [id, partner]))
}

/** What is still owed to partners who could be paid. */
const listOwed = ({ payer }: History) =>
  world.query(
    `select p.slug, c.currency, sum(c.amount_cents) as cents
     from commissions c join partners p on p.id = c.partner_id
     join payout_accounts a on a.workspace_id = c.workspace_id and a.email = p.email and a.disconnected_at is null
                           and a.status = 'enabled'
     where c.workspace_id = $1 and p.status = 'approved'
       and not exists (select from commission_holds h
                       where h.commission_id = coalesce(c.reverses_id, c.id) and h.resolved_at is null)
       and c.payable_at < never()
       and (c.payout_id is null or exists (
       select from payouts o where o.id = c.payout_id and o.stripe_account_id is not null and o.paid_at is null))
     group by p.id, c.currency having sum(c.amount_cents) >= 50`,
    [payer.workspaceId],
  )

test(`in ${HISTORIES} random histories the ledger adds up after each step, and Stripe has sent what it says`, async () => {
  const any = fc.oneof(
    ...Object.values(steps).map((arbitrary) => ({ arbitrary, weight: 2 })),
    ...Object.values(shadowSteps).map((arbitrary) => ({ arbitrary, weight: 3 })),
  )
  const history = fc.array(any, { minLength: 5, maxLength: STEPS, size: 'max' })
  const end = fc.tuple(steps.reported, steps.bought, steps.killed)
  const holds = fc.asyncProperty(history, end, fc.boolean(), async (chosen, end, isShadow) => {
    world.hoursLater(0)
    const history = await begin(isShadow)
    for (const step of [...chosen, ...end]) {
      const before = await history.other.snapshot()
      await step.take(history)
      await history.other.check(before)
      expect(await world.violations()).toEqual([])
      expect(await creditsOf(history)).toEqual(Object.fromEntries(history.credited))
    }
    // Things come right again: the other program is live, there is money, and the next day those
    // that waited are sent.
    const before = await history.other.snapshot()
    await history.other.cutOver()
    expect(await history.other.isShadow()).toBe(false)
    await history.other.check(before)
    for (const code of CURRENCIES) world.stripe().setBalance(code, 1_000_000_000, history.payer.key)
    const tomorrow = world.hoursLater(history.hours + 25)
    await history.payer.run({}, {}, tomorrow)
    // An account that turned out to be closed made a payout fail: the next run knows.
    await history.payer.run({}, {}, tomorrow)

    expect(await world.violations()).toEqual([])
    const { ledger, books } = await history.payer.compareBooks()
    expect(ledger).toEqual(books)
    expect(await listOwed(history)).toEqual([])
  })
  await fc.assert(holds, { seed: SEEDS[0], numRuns: HISTORIES, endOnFailure: true })
}, 900_000)
